"""The inertia layer: mass, centre of mass and inertia tensor of links and payloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.layers.layer import Layer


@dataclass(frozen=True)
class LinkInertia:
    """Mass properties of a link, in its frame.

    Attributes:
        mass: kg.
        centre: (3,) centre of mass (m).
        inertia: (3, 3) about the centre of mass, along the axes of the link's frame (kg m²).
        covariance: (10, 10) of the `PARAMETERS` (`inertial_parameters.py`); None where unknown.
        payload: Whether the link is a payload that the robot holds.

    Raises:
        InputError: the mass or a principal moment is not positive, or shapes are others.
    """

    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]
    covariance: NDArray[np.float64] | None = None
    payload: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.mass < np.inf:
            raise InputError(f"mass is {self.mass}; accepted is a finite number above 0 (kg)")
        if np.shape(self.centre) != (3,) or np.shape(self.inertia) != (3, 3):
            raise InputError(
                f"centre of shape {np.shape(self.centre)}, inertia of {np.shape(self.inertia)}; "
                "accepted are (3,) and (3, 3)"
            )
        if not np.isfinite(self.centre).all() or not np.isfinite(self.inertia).all():
            raise InputError("centre or inertia is not finite; accepted are finite numbers")
        if np.linalg.eigvalsh(self.inertia).min() <= 0:
            raise InputError("inertia is not positive definite; accepted is that of a body")
        if self.covariance is not None and np.shape(self.covariance) != (10, 10):
            raise InputError(
                f"covariance of shape {np.shape(self.covariance)}; accepted is (10, 10)"
            )

    @property
    def mass_std(self) -> float | None:
        """Standard deviation of the mass (kg), None where unknown."""
        return None if self.covariance is None else float(np.sqrt(self.covariance[0, 0]))

    @property
    def centre_std(self) -> NDArray[np.float64] | None:
        """(3,) standard deviations of the centre of mass (m), to first order; None if unknown.

        The centre is the first moment over the mass: its Jacobian is [-c/m, 1/m] in (m, mc).
        """
        if self.covariance is None:
            return None
        jacobian = np.hstack([-np.asarray(self.centre)[:, None], np.eye(3)]) / self.mass
        variances = np.diag(jacobian @ self.covariance[:4, :4] @ jacobian.T)
        return np.sqrt(np.maximum(variances, 0.0))  # of a centre that is exact: 0 but for rounding


@dataclass(frozen=True, kw_only=True)
class InertiaLayer(Layer):
    """Mass properties by link name."""

    links: Mapping[str, LinkInertia] = field(default_factory=dict)
