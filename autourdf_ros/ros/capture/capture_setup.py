"""Creates the cell of a capture node from its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node

from autourdf_ros.commanding.watching.effort_watch import EffortWatch
from autourdf_ros.commanding.watching.jump_watch import JumpWatch
from autourdf_ros.commanding.watching.reading_watch import ReadingWatch
from autourdf_ros.commanding.watching.watches import Watches
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.capture.capture_cell import CaptureCell
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.cell.capture_parameters import (
    declare_command,
    declare_efforts,
    declare_timeouts,
)
from autourdf_ros.ros.cell.color_cameras import ColorImages
from autourdf_ros.ros.cell.commander import create_commander
from autourdf_ros.ros.cell.controller_activity import ControllerActivity
from autourdf_ros.ros.cell.frame_parameters import declare_frames
from autourdf_ros.ros.cell.robot_cell import CellJoints
from autourdf_ros.ros.common.matched_subscription import RELIABILITIES
from autourdf_ros.ros.common.parameters import Parameters

JUMP = 0.05
"""Difference of two readings (rad or m) that is never a jump."""


def create_cell(
    node: Node,
    parameters: Parameters,
    limits: Limits,
    unmoved: Sequence[str],
    base_frame: str,
) -> CaptureCell:
    """Return the cell with cameras, controller and joint readings.

    Args:
        node: the owner.
        parameters: of the node.
        limits: of the joints that are commanded.
        unmoved: names of joints that are not commanded, but whose readings are needed.
        base_frame: frame of the recorded points.

    Raises:
        InputError: a parameter cannot be used.
    """
    joints = CellJoints(tuple(limits), tuple(unmoved))
    topics = parameters.texts("cameras", [], "topics of the cameras' PointCloud2")
    if not topics:
        raise InputError(
            f"{node.get_fully_qualified_name()}: parameter cameras is empty; accepted is a "
            "list of PointCloud2 topics"
        )
    images = parameters.texts(
        "images",
        [],
        "topics of colour Images, with CameraInfo beside each, to record at every standstill",
    )
    reliability = parameters.text(
        "cloud_reliability",
        "auto",
        "reliability of the clouds; auto: that which the cameras offer",
        RELIABILITIES,
    )
    interface, topic = declare_command(parameters)
    joint_timeout, cloud_timeout = declare_timeouts(parameters)
    efforts = declare_efforts(parameters, joints.commanded, node.get_fully_qualified_name())
    watches = Watches(
        ReadingWatch([*joints.commanded, *joints.unmoved], joint_timeout),
        EffortWatch(efforts, joint_timeout),
        JumpWatch(limits, JUMP),
    )
    return CaptureCell(
        node,
        joints,
        Cameras(node, topics, base_frame, reliability, cloud_timeout),
        create_commander(node, interface, topic),
        ControllerActivity(node, topic),
        watches,
        declare_frames(parameters, topics, base_frame),
        ColorImages(node, images, base_frame, reliability, cloud_timeout) if images else None,
    )
