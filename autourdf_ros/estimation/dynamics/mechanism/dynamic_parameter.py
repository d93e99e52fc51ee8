"""Parameters of a mechanism's dynamics: names, units, fitting coordinates and priors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

Kind = Literal[
    "mass",
    "centre",
    "radius",
    "shear",
    "damping",
    "friction",
    "armature",
    "stiffness",
    "limit stiffness",
    "contact friction",
    "tilt",
]
"""mass, centre of mass, radii of gyration and shears of a body (`body_coordinates.py`); viscous
and Coulomb friction, armature, spring and limit of a joint; sliding friction of a geom; tilt of
gravity against the world's z axis."""
KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
LINEAR: tuple[Kind, ...] = ("centre", "shear", "tilt")
"""Their fitting coordinate is the value itself; of all others it is the logarithm."""
SCALED: tuple[Kind, ...] = ("mass", "damping", "friction", "armature", "stiffness")
"""What all forces are proportional to: without a known force, motion shows only their ratios."""


_AXES = {"centre": "xyz", "radius": "xyz", "shear": ("xy", "xz", "yz"), "tilt": "xy"}


@dataclass(frozen=True)
class DynamicParameter:
    """One number of a mechanism.

    Attributes:
        kind: What it is.
        target: Name of the body, joint or geom.
        unit: Of the value.
        value: Nominal value, the middle of the prior.
        std: Of the prior by itself, in the fitting coordinate, beside that of the overall scale.
        component: Which of several: of centre, radius, shear and tilt.
    """

    kind: Kind
    target: str
    unit: str
    value: float
    std: float
    component: int = 0

    @property
    def name(self) -> str:
        """Such as "mass of pole" or "centre z of pole"."""
        axes = _AXES.get(self.kind)
        own = self.kind if axes is None else f"{self.kind} {axes[self.component]}"
        return f"{own} of {self.target}"

    @property
    def is_log(self) -> bool:
        """Whether the fitting coordinate is the logarithm."""
        return self.kind not in LINEAR


@dataclass(frozen=True)
class ParameterTable:
    """The free parameters of a mechanism and their Gaussian prior in fitting coordinates.

    Attributes:
        parameters: P of them.
        scale_std: Standard deviation of the logarithm of the overall scale: a factor that all
            masses, armatures, friction, damping and springs share, such as a density.
    """

    parameters: tuple[DynamicParameter, ...]
    scale_std: float = 0.0

    def __len__(self) -> int:
        """Return P."""
        return len(self.parameters)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """P names."""
        return tuple(one.name for one in self.parameters)

    @property
    def units(self) -> tuple[str, ...]:
        """P units of the natural values."""
        return tuple(one.unit for one in self.parameters)

    @cached_property
    def is_log(self) -> NDArray[np.bool_]:
        """(P,) whether the fitting coordinate is the logarithm."""
        return np.array([one.is_log for one in self.parameters], bool)

    @cached_property
    def scale(self) -> Array:
        """(P,) how a change of the logarithm of the overall scale moves the coordinates."""
        return np.array([float(one.kind in SCALED) for one in self.parameters])

    @cached_property
    def prior_mean(self) -> Array:
        """(P,) fitting coordinates of the nominal values."""
        return self.coordinates(np.array([one.value for one in self.parameters]))

    @cached_property
    def prior_covariance(self) -> Array:
        """(P, P) in fitting coordinates: each by itself, and the overall scale."""
        own = np.array([one.std for one in self.parameters])
        return np.diag(own**2) + self.scale_std**2 * np.outer(self.scale, self.scale)

    @property
    def prior_std(self) -> Array:
        """(P,) standard deviations of the prior in fitting coordinates."""
        return np.sqrt(np.diag(self.prior_covariance))

    def values(self, coordinates: Array) -> Array:
        """Return natural values (..., P) of fitting coordinates (..., P)."""
        coordinates = np.asarray(coordinates, float)
        return np.where(self.is_log, np.exp(np.where(self.is_log, coordinates, 0)), coordinates)

    def coordinates(self, values: Array) -> Array:
        """Return fitting coordinates (..., P) of natural values (..., P).

        Raises:
            InputError: one that must be positive is not.
        """
        values = np.asarray(values, float)
        wrong = self.is_log & ~(values > 0)
        if wrong.any():
            place = int(np.argmax(wrong.reshape(-1, len(self)).any(0)))
            raise InputError(
                f"{self.names[place]}: {values[..., place]}; accepted are numbers above 0"
            )
        return np.where(self.is_log, np.log(np.where(self.is_log, values, 1)), values)

    def with_values(
        self, values: Mapping[str, float], stds: Mapping[str, float] | None = None
    ) -> ParameterTable:
        """Return the table with other nominal values, and stds of single ones, by name.

        Raises:
            InputError: a name is unknown.
        """
        stds = stds or {}
        if unknown := sorted({*values, *stds} - set(self.names)):
            raise InputError(
                f"parameter {unknown[0]!r} is unknown; known are {', '.join(self.names)}"
            )
        return replace(
            self,
            parameters=tuple(
                replace(one, value=values.get(name, one.value), std=stds.get(name, one.std))
                for name, one in zip(self.names, self.parameters, strict=True)
            ),
        )

    def of(self, wanted: Iterable[str]) -> ParameterTable:
        """Return the table of some parameters only, by kind or by name; others stay nominal.

        Raises:
            InputError: something wanted is neither.
        """
        wanted = tuple(wanted)
        known: Sequence[str] = (*self.names, *KINDS)
        if unknown := [name for name in wanted if name not in known]:
            raise InputError(f"parameter {unknown[0]!r} is unknown; accepted are {known}")
        kept = tuple(one for one in self.parameters if {one.kind, one.name} & set(wanted))
        return replace(self, parameters=kept)
