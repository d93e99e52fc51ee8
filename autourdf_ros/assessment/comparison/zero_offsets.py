"""By how much the zeros of joints differ: from where the links are that they carry."""

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
"""rad or m below which an offset is taken for none: a surface hardly tells it."""

_POINTS = 300  # of a link


@dataclass(frozen=True)
class Zeros:
    """How the second robot's joints count.

    values: of them where it stands as the first. offsets: by the first robot's name, value there =
    ± value here + offset (rad or m), 0 where none is told. reversed: names of the first robot's
    joints that count the other way in the second. travels: by the second's name, how far each
    joint was moved to stand there.
    """

    values: Mapping[str, float]
    offsets: Mapping[str, float]
    reversed: frozenset[str]
    travels: Mapping[str, float]


@dataclass(frozen=True)
class ZeroSearch:
    """Two robots whose joints are known to be the same, prepared once for several searches."""

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
        """Move the second robot, joint by joint from the root, to where the first one stands.

        The first stands at its reference configuration; so does the second, but for joints of the
        same name, which stand at the first one's value. Each joint is then moved to where the
        surface of its link, and the axes on it, are nearest to the first one's, if that is clear.
        shift: (3,) m of the second's base. before: what an earlier search found, to look near it.
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
                carried = self._carried(a, b, at_first, values, shift)
                guess = None if before is None else before.travels[b]
                travels[b] = best_travel(carried, guess, surface_decides=named)
                values[b] += travels[b]
            offset = values[b] - sign * ours[a]
            offsets[a] = 0.0 if abs(offset) < LEAST[here.type] else offset
        return Zeros(values, offsets, frozenset(reversed_), travels)

    def moves_root(self, shift: NDArray[np.float64]) -> bool:
        """Whether a shift (3,) m of the second robot may be that of its root, as the root shows."""
        if 0 not in self.fields or 0 not in self.points:
            return True
        before, after = (np.median(self.fields[0](self.points[0] + x)) for x in (0.0, shift))
        return bool(after < 1.25 * before + 5e-5)

    def _carried(
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
    """Points of the base frame in the frame that stands at `pose`."""
    return (points - pose[:3, 3]) @ pose[:3, :3]
