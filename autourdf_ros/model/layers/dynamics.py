"""The dynamics layer: friction, damping and armature of joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autourdf_ros.errors import InputError
from autourdf_ros.model.layers.layer import Layer

FRICTION_IMPEDANCE = (0.999, 0.999, 0.001, 0.5, 2.0)
"""MuJoCo's `solimpfriction` with which it simulates Coulomb friction as such."""
FRICTION_STEPS = 2.0
"""Its time constant, first of `solreffriction`, in time steps: the shortest that MuJoCo allows. By
its defaults, 20 ms, friction rises with the speed up to where it would stop the joint in that time:
on light joints of geared robots that is most of the motion."""


@dataclass(frozen=True)
class JointDynamics:
    """What resists a joint's motion: each a value and its standard deviation, None if unknown.

    Attributes:
        damping: Viscous friction (N m s/rad or N s/m).
        friction: Coulomb friction (N m or N).
        armature: Reflected inertia of the drive (kg m² or kg).

    Raises:
        InputError: a value is negative.
    """

    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    damping_std: float | None = None
    friction_std: float | None = None
    armature_std: float | None = None

    def __post_init__(self) -> None:
        for name in ("damping", "friction", "armature"):
            if not 0 <= (value := getattr(self, name)) < float("inf"):
                raise InputError(f"{name} is {value}; accepted is a finite number of at least 0")


@dataclass(frozen=True, kw_only=True)
class DynamicsLayer(Layer):
    """Dynamics by joint name."""

    joints: Mapping[str, JointDynamics] = field(default_factory=dict)
