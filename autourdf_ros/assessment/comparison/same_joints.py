"""The joints of two robots that are the same."""

from __future__ import annotations

from autourdf_ros.assessment.comparison.compared_robot import ComparedRobot
from autourdf_ros.assessment.metrics.assignment import assign_joints

Pairs = tuple[tuple[str, str], ...]


def same_joints(first: ComparedRobot, second: ComparedRobot) -> Pairs:
    """Return the joints that are the same, in the first's order, parents before children.

    Joints of one name are the same. Other joints are the same where their axes coincide with both
    robots at their reference configuration; joints of different type where the tree pairs them. A
    result without joint readings only numbers its joints, so the geometry decides on all of them.

    Returns:
        (name in the first, name in the second) of each.
    """
    ours, theirs = first.kinematics.joint_names, second.kinematics.joint_names
    named = first.named and second.named
    by_name = {name: name for name in ours if named and name in theirs}
    skeletons = [
        robot.skeleton(robot.subject.reference).frozen(set(by_name)) for robot in (first, second)
    ]
    assignment = assign_joints(*skeletons)
    names = [skeleton.names for skeleton in skeletons]
    by_place = {names[0][one]: names[1][two] for one, two in assignment.pairs + assignment.confused}
    found = by_name | by_place
    return tuple((name, found[name]) for name in ours if name in found)
