"""What changed between two robots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.comparison.camera_changes import CameraChange, camera_changes
from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.comparison.joint_changes import JointChange, joint_changes
from autourdf_ros.assessment.comparison.link_changes import LinkChange, link_changes, same_links
from autourdf_ros.assessment.comparison.model_alignment import align


@dataclass(frozen=True)
class Comparison:
    """The second robot relative to the first.

    Attributes:
        shift: (3,) translation (m) of the whole second robot from the first.
        joints: The joints that both have.
        links: The links that both have.
        added_joints: Names of the joints that only the second has.
        removed_joints: Names of the joints that only the first has.
        added_links: Names of the links that only the second has.
        removed_links: Names of the links that only the first has.
        cameras: Of both recordings, where they have the same ones; no part of the robot.
    """

    shift: NDArray[np.float64]
    joints: tuple[JointChange, ...]
    links: tuple[LinkChange, ...]
    added_joints: tuple[str, ...]
    removed_joints: tuple[str, ...]
    added_links: tuple[str, ...]
    removed_links: tuple[str, ...]
    cameras: tuple[CameraChange, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything of the robot but the position of the whole changed significantly."""
        parts = (self.added_joints, self.removed_joints, self.added_links, self.removed_links)
        shared = [*(joint.changed for joint in self.joints), *(link.changed for link in self.links)]
        return any(parts) or any(shared)


def compare(first: ComparedRobot, second: ComparedRobot) -> Comparison:
    """Compare two robots after moving the second to the first's configuration and position."""
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
        camera_changes(first, second),
    )


def _sides(pairs: tuple[tuple[str, str], ...]) -> tuple[list[str], list[str]]:
    return [one for one, _ in pairs], [two for _, two in pairs]
