"""A tree of joints that move as their motors' readings say: poses, and the fit of their twists.

Every joint moves its child by exp(xi theta) from the reference frame, theta being its motor's
reading less that of the reference frame: six unknowns a joint in all frames together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.normal_equations import normal_equations
from autourdf_ros.estimation.common.surface_matching import match, warped_surface
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, left_jacobian

JointType = Literal["revolute", "prismatic"]

DAMPING = 1e-4  # share of the diagonal
NEARLY_DIRECT = 0.1  # off the ratio of a motor that moves its joint directly, which is then meant


@dataclass(frozen=True)
class ScrewChain:
    """J joints on B = J + 1 bodies, body 0 the root; body j + 1 hangs on joint j.

    Not the model's `KinematicTree`: its joints have motors' readings for values, and its twists are
    no unit screws; the search adds, fits and drops its joints in robot sizes.

    Attributes:
        metre: one metre in engine units.
        parents: (J,) body that each joint hangs on.
        motors: (J,) column of the readings that moves each joint.
        twists: (J, 6) along which one unit of the reading moves the child.
        types: (J,) revolute or prismatic.
    """

    metre: float
    parents: tuple[int, ...] = ()
    motors: tuple[int, ...] = ()
    twists: Array = field(default_factory=lambda: np.zeros((0, 6)))
    types: tuple[JointType, ...] = ()

    @property
    def ratios(self) -> Array:
        """(J,) rad, or engine units, by which a unit of the reading moves each joint."""
        turns = np.array([kind == "revolute" for kind in self.types], dtype=bool)
        return np.linalg.norm(
            np.where(turns[:, None], self.twists[:, :3], self.twists[:, 3:]), axis=1
        )

    @property
    def units(self) -> Array:
        """(J,) ratios of motors that move their joint directly: rad by rad, or metre by metre."""
        return np.array([1.0 if kind == "revolute" else self.metre for kind in self.types])

    @property
    def direct(self) -> NDArray[np.bool_]:
        """(J,) whether its motor moves a joint directly."""
        return np.isclose(self.ratios, self.units, rtol=1e-9)

    def with_ratios(self, ratios: Array) -> ScrewChain:
        """Return the chain with the same lines and other ratios (J,)."""
        scale = ratios / np.maximum(self.ratios, 1e-12)
        return replace(self, twists=self.twists * scale[:, None])

    def poses(self, readings: Array, base: Array) -> Array:
        """Return poses (F, B, 4, 4) from the reference, for readings (F, M) and base (F, 4, 4)."""
        poses = [base]
        for parent, motor, twist in zip(self.parents, self.motors, self.twists, strict=True):
            poses.append(poses[parent] @ exp_se3(twist * readings[:, motor, None]))
        return np.stack(poses, axis=1)

    def ancestors(self, body: int) -> list[int]:
        """Return the joints that move a body, from the root on."""
        joints: list[int] = []
        while body > 0:
            joints.insert(0, body - 1)
            body = self.parents[body - 1]
        return joints

    def with_joint(self, parent: int, motor: int, twist: Array, kind: JointType) -> ScrewChain:
        """Return the chain with one more joint, whose child is the last body."""
        return replace(
            self,
            parents=(*self.parents, parent),
            motors=(*self.motors, motor),
            twists=np.concatenate([self.twists, without_pitch(twist, kind)[None]]),
            types=(*self.types, kind),
        )

    def without(self, joint: int) -> tuple[ScrewChain, NDArray[np.int64]]:
        """Return the chain without a joint and all below it, and the bodies (B',) that are left."""
        count = len(self.parents)
        left = np.array([b for b in range(count + 1) if joint not in self.ancestors(b)])
        place = np.full(count + 1, -1)
        place[left] = np.arange(len(left))
        kept = (left[1:] - 1).tolist()
        shorter = replace(
            self,
            parents=tuple(int(place[self.parents[j]]) for j in kept),
            motors=tuple(self.motors[j] for j in kept),
            twists=self.twists[kept],
            types=tuple(self.types[j] for j in kept),
        )
        return shorter, left


def without_pitch(twist: Array, kind: JointType) -> Array:
    """Return the nearest twist (6,) that only turns about its line, or only slides."""
    omega, linear = twist[:3], twist[3:]
    if kind == "prismatic":
        return np.concatenate([np.zeros(3), linear])
    axis = omega / max(float(np.linalg.norm(omega)), 1e-12)
    return np.concatenate([omega, linear - (linear @ axis) * axis])


@dataclass(frozen=True)
class MotorStates:
    """What the motors report in F frames.

    Attributes:
        readings: (F, M) of the motors, less those of the reference frame.
        base: (F, 4, 4) poses of the root.
    """

    readings: Array
    base: Array


def fit_chain(
    chain: ScrewChain,
    reference: Cloud,
    labels: Labels,
    frames: Sequence[Cloud],
    states: MotorStates,
    *,
    gate: float,
    kernels: Collection[float],
    joints: Collection[int],
) -> ScrewChain:
    """Fit the twists of some joints to the frames, point to plane.

    Joints that their motors move directly, by `units`, keep these ratios.

    Args:
        chain: the chain to start from.
        reference: cloud of N points in the reference configuration.
        labels: (N,) body of every reference point, -1 none.
        frames: F frames.
        states: what the motors report in them.
        gate: distance (m) beyond which no points are matched.
        kernels: width (m) of the robust kernel in every iteration.
        joints: numbers of the joints to fit.
    """
    readings = states.readings
    if not joints:
        return chain
    direct = chain.direct
    moved_by = [chain.ancestors(body) for body in range(len(chain.parents) + 1)]
    concerned = np.array([not set(joints).isdisjoint(above) for above in moved_by])
    chosen = (labels >= 0) & concerned[labels]
    points, normals = reference.points[chosen], reference.normals[chosen]
    flatness, labels = reference.flatness[chosen], labels[chosen]
    count = len(chain.parents)
    free = np.concatenate([np.arange(6 * j, 6 * j + 6) for j in joints])
    origin = np.zeros((count + 1, 3))
    for kernel in kernels:
        poses = chain.poses(readings, states.base)
        rates = _rates(chain, poses, readings)
        information, gradient = np.zeros((6 * count, 6 * count)), np.zeros(6 * count)
        for frame, pose, rate in zip(frames, poses, rates, strict=True):
            moved, turned = warped_surface(pose, labels, points, normals)
            matches = match(
                moved, turned, flatness, frame, gate=gate, kernel=kernel, directions="forward"
            )
            blocks, pulls = normal_equations(matches, labels[matches.source], origin)
            for body, above in enumerate(moved_by):
                if above:
                    mapping = np.concatenate([rate[j] for j in above], axis=1)
                    index = np.concatenate([np.arange(6 * j, 6 * j + 6) for j in above])
                    information[np.ix_(index, index)] += mapping.T @ blocks[body] @ mapping
                    gradient[index] += mapping.T @ pulls[body]
        system = information[np.ix_(free, free)]
        system = system + np.diag(DAMPING * np.diag(system) + 1e-9)
        step = np.zeros(6 * count)
        step[free] = np.linalg.solve(system, gradient[free])
        twists = chain.twists + step.reshape(count, 6)
        pure = [without_pitch(twist, kind) for twist, kind in zip(twists, chain.types, strict=True)]
        fitted = replace(chain, twists=np.array(pure))
        chain = fitted.with_ratios(np.where(direct, chain.ratios, fitted.ratios))
    near = np.abs(chain.ratios / chain.units - 1) < NEARLY_DIRECT
    return chain.with_ratios(np.where(near, chain.units, chain.ratios))


def _rates(chain: ScrewChain, poses: Array, readings: Array) -> Array:
    """(F, J, 6, 6) twist in the fixed frame of a joint's child, as the joint's twist changes."""
    rates = [
        adjoint(poses[:, parent])
        @ left_jacobian(twist * readings[:, motor, None])
        * readings[:, motor, None, None]
        for parent, motor, twist in zip(chain.parents, chain.motors, chain.twists, strict=True)
    ]
    return np.stack(rates, axis=1)
