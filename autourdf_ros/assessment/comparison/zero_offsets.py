"""Offsets between the joint zeros of two robots, from the poses of the links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.comparison.joint_search import ARM, MovedPart, best_travel
from autourdf_ros.assessment.comparison.same_joints import Pairs
from autourdf_ros.geometry.surface_distance import DistanceField, points_on
from autourdf_ros.model.skeleton import MotionType, Skeleton

LEAST: dict[MotionType, float] = {"revolute": np.radians(0.3), "prismatic": 3e-4}
"""rad or m; a smaller offset counts as none, as surfaces hardly determine it."""

_POINTS = 300  # on the surface of a body


@dataclass(frozen=True)
class Zeros:
    """The joint coordinates of the second robot relative to the first's.

    Attributes:
        values: The second robot's joint values (rad or m) by name at the first one's configuration.
        offsets: By the first robot's joint name: second's value = ± first's value + offset (rad or
            m); 0 where no offset is significant.
        reversed: Names of the first robot's joints that count in the opposite direction in the
            second.
        travels: Distance (rad or m) that each joint was moved to reach `values`, by the second's
            joint name.
    """

    values: Mapping[str, float]
    offsets: Mapping[str, float]
    reversed: frozenset[str]
    travels: Mapping[str, float]


@dataclass(frozen=True)
class ZeroSearch:
    """Two robots with their paired joints, prepared once for several searches.

    Attributes:
        first: The robot that stands still.
        second: The robot whose joint zeros are searched.
        pairs: (name in the first, name in the second) of the joints that are the same.
        fields: Distance from the first robot's surface at its reference configuration, by body.
        points: (N, 3) on the second robot's surface in the body's frame (m), by body.
    """

    first: ComparedRobot
    second: ComparedRobot
    pairs: Pairs
    fields: Mapping[int, DistanceField] = field(init=False)
    points: Mapping[int, NDArray[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        ours = self.first.body_surfaces(self.first.subject.reference)
        at = self.second.subject.reference
        poses = self.second.kinematics.body_poses(at)
        points = {
            body: _into(poses[body], points_on(mesh, _POINTS))
            for body, mesh in self.second.body_surfaces(at).items()
        }
        object.__setattr__(self, "fields", {b: DistanceField(mesh) for b, mesh in ours.items()})
        object.__setattr__(self, "points", points)

    def find(self, shift: NDArray[np.float64], before: Zeros | None = None) -> Zeros:
        """Move the second robot, joint by joint from the root, to the first one's configuration.

        Both robots start at their reference configurations, except that joints of the same name
        start at the first one's value. Each joint then moves to where the surface of its link and
        the axes on it are nearest to the first one's, if the gain is clear (`best_travel`).

        Args:
            shift: (3,) translation (m) of the second's base.
            before: The result of an earlier search; the new search stays near it.
        """
        ours, named = self.first.subject.reference, self.first.named and self.second.named
        values = dict(self.second.subject.reference)
        values |= {b: ours[a] for a, b in self.pairs if named and a == b}
        at_first = self.first.skeleton(ours)
        offsets: dict[str, float] = {}
        reversed_: set[str] = set()
        travels: dict[str, float] = {}
        for a, b in self.pairs:
            here, there = at_first.joint(a), self.second.skeleton(values).joint(b)
            if here.type != there.type:
                continue
            sign = 1.0 if here.axis @ there.axis >= 0 else -1.0
            if sign < 0:
                reversed_.add(a)
                if named and a == b:
                    values[b] = -values[b]
            if b not in self.second.kinematics.mimics:
                part = self._moved_part(a, b, at_first, values, shift)
                guess = None if before is None else before.travels[b]
                travels[b] = best_travel(part, guess, surface_decides=named)
                values[b] += travels[b]
            offset = values[b] - sign * ours[a]
            offsets[a] = 0.0 if abs(offset) < LEAST[here.type] else offset
        return Zeros(values, offsets, frozenset(reversed_), travels)

    def moves_root(self, shift: NDArray[np.float64]) -> bool:
        """Return whether the root's surface allows a shift (3,) (m) of the second robot."""
        if 0 not in self.fields or 0 not in self.points:
            return True
        before, after = (np.median(self.fields[0](self.points[0] + x)) for x in (0.0, shift))
        return bool(after < 1.25 * before + 5e-5)

    def _moved_part(
        self,
        a: str,
        b: str,
        at_first: Skeleton,
        values: Mapping[str, float],
        shift: NDArray[np.float64],
    ) -> MovedPart:
        at_second = self.second.skeleton(values, shift)
        joint, body = at_second.joint(b), at_first.joint(a).child
        pose = self.second.kinematics.body_poses(values)[joint.child]
        known = body in self.fields and joint.child in self.points
        points = self.points[joint.child] if known else np.empty((0, 3))
        partner = {two: one for one, two in self.pairs}
        beyond = [at_second.joints[index] for index in at_second.children(joint.child)]
        beyond = [other for other in beyond if other.name in partner and other.type == "revolute"]
        return MovedPart(
            joint,
            points @ pose[:3, :3].T + pose[:3, 3] + shift,
            self.fields[body] if known else None,
            np.array(
                [np.multiply.outer((-ARM, ARM), other.axis) + other.point for other in beyond]
            ).reshape(-1, 2, 3),
            tuple(at_first.joint(partner[other.name]) for other in beyond),
        )


def _into(pose: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (N, 3) of the base frame in the frame at `pose`."""
    return (points - pose[:3, 3]) @ pose[:3, :3]
