"""A mechanism before a camera: bodies, joints, true parameters, start and what drives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.primitive_shapes import PrimitiveShape
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh
from autourdf_ros.simulation.mechanisms.mechanism_drives import Drive, NoDrive

Array = NDArray[np.float64]
MechanismJointKind = Literal["fixed", "revolute", "prismatic", "planar"]
ParameterKind = Literal["mass", "inertia", "density", "damping", "friction", "armature"]

PLANAR_COORDINATES = ("x", "y", "turn")
LIMIT_FACTOR = 2.0
"""Limits of a parameter: from the truth divided by this to the truth times this (the issue's)."""


@dataclass(frozen=True)
class MechanismBody:
    """A rigid body.

    Attributes:
        name: Of the body.
        mesh: Its closed surface in its own frame.
        home: (4, 4) its frame in the world where all joint values are 0.
        mass: kg.
        centre: (3,) of mass, in its frame (m).
        inertia: (3, 3) about the centre of mass, along its frame's axes (kg m²).
        primitive: What the surface is, or None: a mesh.
        is_driver: It belongs to the robot that pushes, not to the mechanism; it has no joint.
    """

    name: str
    mesh: SurfaceMesh
    home: Array
    mass: float
    centre: Array
    inertia: Array
    primitive: PrimitiveShape | None = None
    is_driver: bool = False


@dataclass(frozen=True)
class MechanismJoint:
    """A joint between two bodies, in the world where all joint values are 0.

    Attributes:
        name: Of the joint.
        kind: A planar joint shifts along the world's x and y and turns about `axis`, which is z.
        parent: Name of a body; None: the world.
        child: Name of the body that it moves.
        axis: (3,) unit vector.
        pivot: (3,) on the axis (m).
        damping: Viscous (N m s/rad or N s/m); of a planar joint's shifts.
        friction: Coulomb (N m or N); of a planar joint's shifts.
        armature: Inertia of what turns with the joint (kg m² or kg); of a planar joint's shifts.
        lever: Of a planar joint: distance at which friction acts when it turns (m), so that the
            turn has `damping * lever**2`, `friction * lever` and `armature * lever**2`.
    """

    name: str
    kind: MechanismJointKind
    parent: str | None
    child: str
    axis: Array
    pivot: Array
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    lever: float = 0.0

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its joint values: none of a fixed joint, three of a planar one."""
        if self.kind == "fixed":
            return ()
        if self.kind == "planar":
            return tuple(f"{self.name}.{part}" for part in PLANAR_COORDINATES)
        return (self.name,)


@dataclass(frozen=True)
class MechanismParameter:
    """A true parameter of the dynamics.

    Attributes:
        name: `TARGET.KIND`.
        kind: "mass": of a body (kg), with its inertia as it is; "inertia": of a body about the axis
            of its joint through its centre of mass (kg m²); "density": mass and inertia in
            proportion, stated as the mass (kg); the others of a joint.
        target: Name of the body or joint.
        value: Truth.
        low: Least value that identification considers.
        high: Greatest one.
    """

    name: str
    kind: ParameterKind
    target: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class SceneView:
    """Where the camera is.

    Attributes:
        eye: (3,) of the camera (m).
        target: (3,) what it faces (m).
        degrees: Field of view along the shorter side of the image.
    """

    eye: Array
    target: Array
    degrees: float = 50.0


@dataclass(frozen=True)
class MechanismScene:
    """A mechanism before a camera.

    Attributes:
        name: Of the scene.
        bodies: Those of the mechanism, then drivers.
        joints: One of every body of the mechanism, parents first.
        varied: Kind and target of the parameters that are to be identified.
        view: Of the camera.
        drive: What moves it.
        background: Static surface in the world, or None.
        start: Joint values at the start; one that is not named is 0.
        speeds: Joint velocities at the start.
        start_range: Least and greatest start that `sample` draws.
        speed_range: Least and greatest velocity that `sample` draws.
    """

    name: str
    bodies: tuple[MechanismBody, ...]
    joints: tuple[MechanismJoint, ...]
    varied: tuple[tuple[ParameterKind, str], ...]
    view: SceneView
    drive: Drive = field(default_factory=NoDrive)
    background: SurfaceMesh | None = None
    start: Mapping[str, float] = field(default_factory=dict)
    speeds: Mapping[str, float] = field(default_factory=dict)
    start_range: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    speed_range: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of all joint values, the order of positions, velocities and forces."""
        return tuple(name for joint in self.joints for name in joint.coordinates)

    def body(self, name: str) -> MechanismBody:
        """Return the body of a name."""
        return next(body for body in self.bodies if body.name == name)

    def joint_of(self, body: str) -> MechanismJoint:
        """Return the joint that moves a body."""
        return next(joint for joint in self.joints if joint.child == body)

    @cached_property
    def parameters(self) -> tuple[MechanismParameter, ...]:
        """The true parameters that are to be identified, with limits about the truth."""
        found = []
        for kind, target in self.varied:
            value = self._value(kind, target)
            low, high = value / LIMIT_FACTOR, value * LIMIT_FACTOR
            found.append(MechanismParameter(f"{target}.{kind}", kind, target, value, low, high))
        return tuple(found)

    def _value(self, kind: ParameterKind, target: str) -> float:
        if kind in ("mass", "density"):
            return self.body(target).mass
        if kind == "inertia":
            axis = self.joint_of(target).axis @ self.body(target).home[:3, :3]
            return float(axis @ self.body(target).inertia @ axis)
        joint = next(joint for joint in self.joints if joint.name == target)
        return float(getattr(joint, kind))

    def with_parameters(self, values: Mapping[str, float]) -> MechanismScene:
        """Return the scene with other values of named parameters (`MechanismParameter.name`)."""
        scene = self
        for parameter in self.parameters:
            if parameter.name in values:
                factor = values[parameter.name] / parameter.value
                scene = scene._scaled(parameter.kind, parameter.target, factor)
        return scene

    def _scaled(self, kind: ParameterKind, target: str, factor: float) -> MechanismScene:
        if kind in ("mass", "inertia", "density"):
            body = self.body(target)
            mass = body.mass * (1.0 if kind == "inertia" else factor)
            inertia = body.inertia * (1.0 if kind == "mass" else factor)
            changed = replace(body, mass=mass, inertia=inertia)
            return replace(
                self, bodies=tuple(changed if b.name == target else b for b in self.bodies)
            )
        return replace(
            self,
            joints=tuple(
                replace(joint, **{kind: getattr(joint, kind) * factor})
                if joint.name == target
                else joint
                for joint in self.joints
            ),
        )

    def sample(self, seed: int, spread: float = 1.5) -> MechanismScene:
        """Return the scene with other parameters, start and motion.

        Args:
            seed: Of all randomness.
            spread: Greatest factor of a parameter, and 1 / least one; log-uniform between.
        """
        rng = np.random.default_rng(seed)
        factors = spread ** rng.uniform(-1, 1, len(self.parameters))
        values = {p.name: p.value * f for p, f in zip(self.parameters, factors, strict=True)}
        start = {name: float(rng.uniform(*ends)) for name, ends in self.start_range.items()}
        speeds = {name: float(rng.uniform(*ends)) for name, ends in self.speed_range.items()}
        return replace(
            self.with_parameters(values),
            start=dict(self.start) | start,
            speeds=dict(self.speeds) | speeds,
        )
