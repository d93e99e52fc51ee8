"""Compute what is known of the joints' lines, and what one more frame of the robot would add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses, jacobians
from autourdf_ros.estimation.motion.reconstruction import Reconstruction
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, inverse, revolute_twist
from autourdf_ros.model.self_model import Joint, SelfModel

_UNKNOWN = np.pi / 2  # rad or m: standard deviation, at most, of what is to be found out
_RIDGE = 1e-9  # share of a frame's mean information: of an unknown that it does not show


@dataclass(frozen=True)
class LineKnowledge:
    """What is known of the lines of J joints, and what one more frame would add.

    Attributes:
        model: with the values that the motors' readings give (`drives`), 0 at the reference.
        drives: how a motor moves each joint, None where none does.
        surfaces: (J + 1, 6, 6) information of one frame about every body's pose, per rad and metre,
            about the origin.
        information: (4 J, 4 J) of two turns (rad) and two shifts (m) of every line
            (`line_perturbations`).
        base_moves: whether every frame has a base pose of its own.
    """

    model: Articulation
    drives: tuple[Drive | None, ...]
    surfaces: Array
    information: Array
    base_moves: bool

    @property
    def motors(self) -> frozenset[str]:
        """Names of the motors that move a joint of the model."""
        return frozenset(drive.motor for drive in self.drives if drive is not None)

    def added(self, targets: Sequence[Mapping[str, float]]) -> Array:
        """Return the information (K, 4 J, 4 J) that a frame at each of K targets would add.

        Of point-to-plane distances, linearised about the model; what every frame has of its own,
        the joints' values and the base, is eliminated by the Schur complement (Triggs et al.,
        "Bundle Adjustment", 2000, section 6), as in the adjustment.

        Args:
            targets: readings (rad or m) by motor name.
        """
        values = np.array([[_value(drive, target) for drive in self.drives] for target in targets])
        base = np.broadcast_to(np.eye(4), (len(targets), 4, 4))
        own, lines = jacobians(self.model, values, base)
        if not self.base_moves:
            own = own[..., : values.shape[1]]
        back = adjoint(inverse(body_poses(self.model, values, base)))
        seen = np.swapaxes(back, -1, -2) @ self.surfaces @ back
        weighted = seen @ lines
        shared = np.einsum("kbia,kbic->kac", lines, weighted, optimize=True)
        cross = np.einsum("kbia,kbic->kac", own, weighted, optimize=True)
        alone = np.einsum("kbia,kbic->kac", own, seen @ own, optimize=True)
        scale = np.trace(alone, axis1=1, axis2=2) / alone.shape[1]
        alone = alone + (_RIDGE * scale)[:, None, None] * np.eye(alone.shape[1])
        return shared - np.swapaxes(cross, 1, 2) @ np.linalg.solve(alone, cross)

    def with_frame(self, target: Mapping[str, float]) -> LineKnowledge:
        """Return what will be known once a frame at this target was taken."""
        return replace(self, information=self.information + self.added([target])[0])

    def remaining(self, targets: Sequence[Mapping[str, float]], turn: float, shift: float) -> Array:
        """Return how much (K,) would be unknown after a frame at each target: the sum of variances.

        The least of it is the A-optimal design (Atkinson, Donev and Tobias: Optimum Experimental
        Designs, 2007, chapter 10), which cares most for what is known least.

        Args:
            targets: readings (rad or m) by motor name.
            turn: unit of the lines' turns (rad).
            shift: unit of their shifts (m).
        """
        units = np.tile(np.repeat([turn, shift], 2), len(self.drives))
        free = _free(self.model.revolute)
        units = units[free]
        after = (self.information + self.added(targets))[:, free][:, :, free]
        covariance = np.linalg.inv(after * np.outer(units, units))
        return np.asarray(np.trace(covariance, axis1=1, axis2=2))


@dataclass(frozen=True)
class Drive:
    """How a motor moves a joint: value = rate * (reading - reference), rad or m.

    Attributes:
        motor: its name.
        rate: of the value by the reading.
        reference: reading at which the value is 0.
    """

    motor: str
    rate: float
    reference: float


def line_knowledge(reconstruction: Reconstruction) -> LineKnowledge | None:
    """Return what a reconstruction knows, or None where no motor moves one of its joints."""
    model = reconstruction.model
    drives = _drives(model)
    if not any(drives) or any(joint.estimate is None for joint in model.joints):
        return None
    articulation = _articulation(model)
    count = 4 * len(model.joints)
    information = np.zeros((count, count))
    for j, joint in enumerate(model.joints):
        lines = slice(4 * j, 4 * j + (4 if articulation.revolute[j] else 2))
        information[lines, lines] = _information(joint)
    return LineKnowledge(
        articulation,
        drives,
        _surfaces(model, reconstruction.options.points, reconstruction.noise),
        information,
        base_moves=reconstruction.base.kind != "fixed",
    )


def _articulation(model: SelfModel) -> Articulation:
    """With every axis in the sense in which the basis of its covariance was chosen."""
    numbers = {link.name: number for number, link in enumerate(model.links)}
    revolute = np.array([joint.type != "prismatic" for joint in model.joints])
    axes = np.array([_sense(joint) * joint.axis for joint in model.joints])
    points = np.array([joint.point for joint in model.joints])
    slides = np.concatenate([np.zeros_like(axes), axes], axis=1)
    return Articulation(
        np.array([numbers[joint.parent] for joint in model.joints]),
        np.where(revolute[:, None], revolute_twist(axes, points), slides),
        revolute,
        points,
    )


def _sense(joint: Joint) -> float:
    """-1 where the joint's axis points against the one that its covariance's basis is across."""
    assert joint.estimate is not None
    return 1.0 if np.dot(np.cross(*joint.estimate.across), joint.axis) > 0 else -1.0


def _drives(model: SelfModel) -> tuple[Drive | None, ...]:
    joints = {joint.name: joint for joint in model.joints}
    drives: list[Drive | None] = []
    for joint in model.joints:
        master, rate = joint, 1.0
        if joint.mimic is not None and (joint.estimate is None or joint.estimate.motor is None):
            master, rate = joints[joint.mimic.joint], joint.mimic.multiplier
        motor = None if master.estimate is None else master.estimate.motor
        if motor is None or motor.ratio == 0.0:  # of a motor that hardly moved yet
            drives.append(None)
            continue
        reference = motor.ratio * master.reference + motor.offset
        drives.append(Drive(motor.name, _sense(joint) * rate / motor.ratio, reference))
    return tuple(drives)


def _value(drive: Drive | None, readings: Mapping[str, float]) -> float:
    return 0.0 if drive is None else drive.rate * (readings[drive.motor] - drive.reference)


def _information(joint: Joint) -> Array:
    assert joint.estimate is not None
    covariance = joint.estimate.covariance
    size = 2 if joint.type == "prismatic" else 4
    values, vectors = np.linalg.eigh(covariance[:size, :size])
    return np.asarray((vectors / np.clip(values, 1e-18, _UNKNOWN**2)) @ vectors.T)


def _surfaces(model: SelfModel, points: int, noise: float) -> Array:
    """(B, 6, 6) of a frame of so many points (all bodies together), of this noise (m)."""
    total = sum(len(link.surface.points) for link in model.links)
    weight = min(points / max(total, 1), 1.0) / noise**2
    result = []
    for link in model.links:
        normals = link.surface.normals
        rows = np.concatenate([np.cross(link.surface.points, normals), normals], axis=1)
        result.append(weight * rows.T @ rows)
    return np.stack(result)


def _free(revolute: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of the lines' parameters, without the shifts of prismatic joints."""
    free = np.ones((len(revolute), 4), dtype=bool)
    free[:, 2:] = revolute[:, None]
    return np.flatnonzero(free)
