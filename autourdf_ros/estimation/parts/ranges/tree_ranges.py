"""The collision-free ranges of all joints of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.ranges.motion_range import with_range
from autourdf_ros.estimation.parts.ranges.range_options import RangeOptions
from autourdf_ros.estimation.parts.result.found_kinematics import FoundKinematics
from autourdf_ros.parallel import Tally, on_all_cores
from autourdf_ros.progress import Progress, silent, staged


def with_ranges(
    found: FoundKinematics,
    parts: Sequence[PreparedPart],
    alternatives: int,
    progress: Progress = silent,
    options: RangeOptions = RangeOptions(),  # noqa: B008  (frozen)
) -> FoundKinematics:
    """Return the kinematics with the collision-free range of every joint.

    Args:
        found: By any method.
        parts: All.
        alternatives: Of each ambiguous joint, of which the range is found; else of the first.
        progress: Is called with stage and fraction, and may raise to cancel.
        options: Of the ranges.
    """
    tally = Tally(len(found.joints), staged(progress, "finding the ranges of motion"))

    def ranged(joint: EdgeJoint) -> EdgeJoint:
        moved = subtree(joint.child, found.tree.edges)
        moving = [parts[number] for number in sorted(moved)]
        still = [part for part in parts if part.index not in moved]
        count = alternatives if joint.ambiguous else 1
        first = tuple(
            with_range(one, moving, still, (joint.parent, joint.child), options)
            for one in joint.alternatives[:count]
        )
        tally.add()
        return replace(joint, alternatives=(*first, *joint.alternatives[count:]))

    return replace(found, joints=tuple(on_all_cores(ranged, found.joints)))


def subtree(part: int, edges: Sequence[tuple[int, int]]) -> set[int]:
    """Return a part and all that it moves, by (parent, child) edges, parents first."""
    moved = {part}
    for parent, child in edges:
        if parent in moved:
            moved.add(child)
    return moved
