"""What changed between two robots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.comparison.joint_changes import JointChange, joint_changes
from autourdf_ros.assessment.comparison.link_changes import LinkChange, link_changes, same_links
from autourdf_ros.assessment.comparison.model_alignment import align


@dataclass(frozen=True)
class Comparison:
    """The second robot against the first.

    shift: (3,) m, by which the second stands off the first as a whole. joints, links: those of
    both. added_..., removed_...: names of what only the second, only the first has.
    """

    shift: NDArray[np.float64]
    joints: tuple[JointChange, ...]
    links: tuple[LinkChange, ...]
    added_joints: tuple[str, ...]
    removed_joints: tuple[str, ...]
    added_links: tuple[str, ...]
    removed_links: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether anything but the place of the whole robot changed, beyond chance."""
        parts = (self.added_joints, self.removed_joints, self.added_links, self.removed_links)
        told = [*(joint.changed for joint in self.joints), *(link.changed for link in self.links)]
        return any(parts) or any(told)


def compare(first: ComparedRobot, second: ComparedRobot) -> Comparison:
    """Compare two robots, with the second brought into the first's pose and to its place."""
    alignment = align(first, second)
    ours, theirs = (set(names) for names in _sides(alignment.pairs))
    our_links, their_links = (set(names) for names in _sides(same_links(alignment)))
    return Comparison(
        -alignment.shift,
        joint_changes(alignment),
        link_changes(alignment),
        tuple(name for name in second.joints if name not in theirs),
        tuple(name for name in first.joints if name not in ours),
        tuple(link.name for link in second.subject.robot.links if link.name not in their_links),
        tuple(link.name for link in first.subject.robot.links if link.name not in our_links),
    )


def _sides(pairs: tuple[tuple[str, str], ...]) -> tuple[list[str], list[str]]:
    return [one for one, _ in pairs], [two for _, two in pairs]
