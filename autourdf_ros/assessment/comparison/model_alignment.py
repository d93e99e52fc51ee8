"""Two robots in the same configuration at the same position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.comparison.same_joints import Pairs, same_joints
from autourdf_ros.assessment.comparison.zero_offsets import Zeros, ZeroSearch
from autourdf_ros.assessment.metrics.global_shift import best_global_shift
from autourdf_ros.model.skeleton import Skeleton, joint_points

_LEAST_SHIFT = 5e-5  # m; a smaller shift counts as none


@dataclass(frozen=True)
class Alignment:
    """Both robots at the first one's reference configuration.

    Attributes:
        first: The first robot.
        second: The second robot.
        pairs: (name in the first, name in the second) of the joints that are the same.
        zeros: Offsets and directions of the second's joints.
        shift: (3,) translation (m) that moves the second robot onto the first.
    """

    first: ComparedRobot
    second: ComparedRobot
    pairs: Pairs
    zeros: Zeros
    shift: NDArray[np.float64]

    @property
    def skeletons(self) -> tuple[Skeleton, Skeleton]:
        """Joints of both robots at the common configuration, before the shift."""
        return (
            self.first.skeleton(self.first.subject.reference),
            self.second.skeleton(self.zeros.values),
        )


def align(first: ComparedRobot, second: ComparedRobot) -> Alignment:
    """Find the joints that are the same, the offsets of their zeros, and the global shift.

    Shift and offsets are estimated alternately. A shift that the surface of the root contradicts is
    discarded: a joint near the root changed instead.
    """
    pairs = same_joints(first, second)
    search = ZeroSearch(first, second, pairs)
    shift = np.zeros(3)
    zeros = search.find(shift)
    for _ in range(2):
        found = _shift(Alignment(first, second, pairs, zeros, shift))
        shift = found if search.moves_root(found) else np.zeros(3)
        zeros = search.find(shift, zeros)
    return Alignment(first, second, pairs, zeros, shift)


def _shift(alignment: Alignment) -> NDArray[np.float64]:
    at_first, at_second = alignment.skeletons
    lines = [
        (at_first.joint(a), at_second.joint(b))
        for a, b in alignment.pairs
        if at_first.joint(a).type == at_second.joint(b).type == "revolute"
    ]
    axes = np.array([two.axis for _, two in lines]).reshape(-1, 3)
    ours, theirs = ([pair[side] for pair in lines] for side in (0, 1))
    found = best_global_shift(joint_points(ours), joint_points(theirs), axes)
    return np.zeros(3) if found is None or np.linalg.norm(found) < _LEAST_SHIFT else found
