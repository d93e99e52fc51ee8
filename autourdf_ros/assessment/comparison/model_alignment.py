"""Two robots brought into the same pose at the same place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.comparison.same_joints import Pairs, same_joints
from autourdf_ros.assessment.comparison.zero_offsets import Zeros, ZeroSearch
from autourdf_ros.assessment.metrics.global_shift import best_global_shift
from autourdf_ros.model.skeleton import Skeleton, joint_points

_LEAST_SHIFT = 5e-5  # m, below which there is none


@dataclass(frozen=True)
class Alignment:
    """Both robots where the first one's reference configuration is.

    pairs: joints that are the same. shift: (3,) m, added to the second robot.
    """

    first: ComparedRobot
    second: ComparedRobot
    pairs: Pairs
    zeros: Zeros
    shift: NDArray[np.float64]

    @property
    def skeletons(self) -> tuple[Skeleton, Skeleton]:
        """Joints of both robots in the common pose, before the shift."""
        return (
            self.first.skeleton(self.first.subject.reference),
            self.second.skeleton(self.zeros.values),
        )


def align(first: ComparedRobot, second: ComparedRobot) -> Alignment:
    """Find the joints that are the same, the offsets of their zeros, and the global shift.

    Shift and offsets are found in turns. A shift that the root does not share is none: then a joint
    near the root changed.
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
