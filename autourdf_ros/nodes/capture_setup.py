"""The cell of a capture node, made as its parameters say."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node

from autourdf_ros.errors import InputError
from autourdf_ros.motion.effort_watch import EffortWatch
from autourdf_ros.motion.jump_watch import JumpWatch
from autourdf_ros.motion.limits import Limits
from autourdf_ros.motion.reading_watch import ReadingWatch
from autourdf_ros.nodes.cameras import Cameras
from autourdf_ros.nodes.capture_cell import CaptureCell
from autourdf_ros.nodes.capture_parameters import declare_command, declare_efforts, declare_timeouts
from autourdf_ros.nodes.commander import create_commander
from autourdf_ros.nodes.controller_activity import ControllerActivity
from autourdf_ros.nodes.frame_parameters import declare_frames
from autourdf_ros.nodes.matched_subscription import RELIABILITIES
from autourdf_ros.nodes.parameters import Parameters

JUMP = 0.05
"""rad or m between two readings, which tells nothing."""


def create_cell(
    node: Node,
    parameters: Parameters,
    limits: Limits,
    unmoved: Sequence[str],
    base_frame: str,
) -> CaptureCell:
    """Cameras and controller of the parameters, and the joints' readings. Raises InputError.

    limits: of the joints that are commanded. unmoved: joints that are not, but whose readings are
    needed.
    """
    joints = list(limits)
    topics = parameters.texts("cameras", [], "topics of the cameras' PointCloud2")
    if not topics:
        raise InputError(
            f"{node.get_fully_qualified_name()}: parameter cameras is empty; accepted is a "
            "list of PointCloud2 topics"
        )
    reliability = parameters.text(
        "cloud_reliability", "auto", "auto takes what the cameras offer", RELIABILITIES
    )
    interface, topic = declare_command(parameters)
    joint_timeout, cloud_timeout = declare_timeouts(parameters)
    efforts = declare_efforts(parameters, joints, node.get_fully_qualified_name())
    return CaptureCell(
        node,
        joints,
        Cameras(node, topics, base_frame, reliability, cloud_timeout),
        create_commander(node, interface, topic),
        ControllerActivity(node, topic),
        declare_frames(parameters, topics, base_frame),
        ReadingWatch([*joints, *unmoved], joint_timeout),
        unmoved,
        EffortWatch(efforts, joint_timeout),
        JumpWatch(limits, JUMP),
    )
