"""A robot's URDF as a mechanism: its links as they are stated, nothing to touch, no drives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import mujoco

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import (
    Mechanism,
    mechanism_of_mjcf,
)
from autourdf_ros.estimation.dynamics.mechanism.simulator_parameters import PriorOptions
from autourdf_ros.model.layers.dynamics import FRICTION_IMPEDANCE, FRICTION_STEPS

RESISTANCES = ("damping", "friction", "armature")
"""Free parameters of a robot whose links' masses are known."""


@dataclass(frozen=True)
class RobotSimulation:
    """How a robot is simulated.

    Attributes:
        step: s.
        free: Kinds of free parameters.
        prior: Their widths.
    """

    step: float = 0.002
    free: tuple[str, ...] = RESISTANCES
    prior: PriorOptions = field(default_factory=lambda: PriorOptions(scale=0.0))


def mechanism_of_urdf(
    urdf: Path,
    joints: Iterable[str],
    options: RobotSimulation = RobotSimulation(),
    mass_stds: Mapping[str, float] | None = None,
) -> Mechanism:
    """Return the mechanism of a URDF.

    Args:
        urdf: Its links have masses.
        joints: Those that move; all others stay at zero.
        options: Choices.
        mass_stds: Standard deviations of masses over the masses, by link: these masses are free.

    Raises:
        InputError: MuJoCo cannot read the file, or none of the joints is in it.
    """
    moving = set(joints)
    try:
        spec = mujoco.MjSpec.from_file(str(urdf))
        spec.compiler.fusestatic = False
        spec.compiler.discardvisual = False
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.option.timestep = options.step
        for geom in list(spec.geoms):
            spec.delete(geom)
        for mesh in list(spec.meshes):
            spec.delete(mesh)
        for equality in list(spec.equalities):
            spec.delete(equality)
        for joint in list(spec.joints):
            if joint.name in moving:
                joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
                joint.solref_friction = [FRICTION_STEPS * options.step, 1.0]
                joint.solimp_friction = FRICTION_IMPEDANCE
            else:
                spec.delete(joint)
        spec.compile()
        xml = spec.to_xml()
    except ValueError as error:
        raise InputError(f"{urdf}: MuJoCo cannot simulate it: {error}") from error
    free = (*options.free, *(f"mass of {link}" for link in mass_stds or {}))
    mechanism = mechanism_of_mjcf(xml, free, options.prior)
    stds = {f"mass of {link}": std for link, std in (mass_stds or {}).items()}
    return mechanism.with_table(mechanism.table.with_values({}, stds))
