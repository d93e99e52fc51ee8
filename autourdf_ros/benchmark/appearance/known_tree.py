"""The kinematic tree of a simulated robot, whose kinematics the suite takes as known."""

from __future__ import annotations

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import Mimic, TreeJoint
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


def known_tree(robot: SimulatedRobot) -> tuple[KinematicTree, Array]:
    """Return the tree at the robot's neutral configuration, and its links' frames (L, 4, 4)."""
    names = [links[0] for links in robot.links]
    axes, points = robot.axis_lines(robot.neutral)
    joints = tuple(
        TreeJoint(
            joint.name,
            joint.kind,
            names[joint.parent],
            names[number + 1],
            axis,
            point,
            joint.lower,
            joint.upper,
            float(reference),
            None if joint.mimic is None else Mimic(**vars(joint.mimic)),
        )
        for number, (joint, axis, point, reference) in enumerate(
            zip(robot.joints, axes, points, robot.neutral, strict=True)
        )
    )
    return KinematicTree(tuple(names), joints), robot.body_poses(robot.neutral)
