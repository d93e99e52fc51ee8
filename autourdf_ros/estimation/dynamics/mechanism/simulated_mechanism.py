"""A mechanism: how MuJoCo simulates it, and which of its parameters are unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import ParameterTable
from autourdf_ros.estimation.dynamics.mechanism.simulator_parameters import (
    ParameterSetter,
    PriorOptions,
    table_of,
)

Array = NDArray[np.float64]

FREE = ("mass", "damping", "friction")
"""Kinds of parameters that are free where nothing else is said."""

_SINGLE = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


@dataclass(frozen=True)
class Mechanism:
    """What is simulated, with a prior of its parameters.

    Attributes:
        xml: MJCF with the nominal values of all parameters.
        table: The free parameters.
        assets: Contents of the files that the MJCF names.
    """

    xml: str
    table: ParameterTable
    assets: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def nominal(self) -> mujoco.MjModel:
        """The MjModel of the nominal values; not to be changed."""
        return compiled(self.xml, self.assets)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in MuJoCo's order: hinges and slides."""
        return tuple(self.nominal.joint(number).name for number in range(self.nominal.njnt))

    @cached_property
    def setter(self) -> ParameterSetter:
        """Sets values of the table into copies of the nominal model."""
        return ParameterSetter(self.nominal, self.table)

    def simulator(self, coordinates: Array | None = None) -> mujoco.MjModel:
        """Return a new MjModel with parameters of fitting coordinates (P,), nominal by default."""
        chosen = self.table.prior_mean if coordinates is None else coordinates
        return self.setter.model(self.table.values(np.asarray(chosen, float)))

    def with_step(self, step: float) -> Mechanism:
        """Return the mechanism with another time step of the simulator (s)."""
        last = f'<option timestep="{step!r}"/></mujoco>'  # of several options, the last one holds
        head, _, tail = self.xml.rpartition("</mujoco>")
        return replace(self, xml=head + last + tail)

    def with_table(self, table: ParameterTable) -> Mechanism:
        """Return the mechanism with other free parameters or priors."""
        return replace(self, table=table)


def mechanism_of_mjcf(
    xml: str,
    free: Iterable[str] = FREE,
    options: PriorOptions = PriorOptions(),  # noqa: B008  (frozen)
    assets: Mapping[str, bytes] | None = None,
) -> Mechanism:
    """Return the mechanism that an MJCF describes.

    Args:
        xml: Its joints are hinges and slides, all named; bodies and geoms with free parameters
            have names, too.
        free: Kinds or names of the free parameters; all others keep the values of the MJCF.
        options: Widths of the prior.
        assets: Contents of the files that it names.

    Raises:
        InputError: MuJoCo cannot read it, a joint is of another type or has no name, or `free`
            names something unknown.
    """
    model = compiled(xml, assets or {})
    return Mechanism(xml, table_of(model, options).of(free), assets or {})


def compiled(xml: str, assets: Mapping[str, bytes]) -> mujoco.MjModel:
    """Return the MjModel of an MJCF.

    Raises:
        InputError: MuJoCo cannot read it, or a joint is no hinge or slide, or has no name.
    """
    try:
        model = mujoco.MjModel.from_xml_string(xml, dict(assets))
    except ValueError as error:
        text = " ".join(str(error).split())
        raise InputError(f"mechanism: MuJoCo cannot read the MJCF: {text}") from error
    if model.njnt == 0:
        raise InputError("mechanism: it has no joint; accepted is one or more hinges and slides")
    for number in range(model.njnt):
        kind = mujoco.mjtJoint(model.jnt_type[number])
        if kind not in _SINGLE or not model.joint(number).name:
            raise InputError(
                f"mechanism: joint {number} {model.joint(number).name!r} is of type "
                f"{kind.name}; accepted are named hinges and slides (a free or planar base is a "
                "chain of slides and hinges)"
            )
    return model
