"""Shows what a robot would do, without moving it."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.motion.trajectory import Trajectory
from autourdf_ros.nodes.conversions import concatenate, trajectory_message

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class DryRun:
    """Publishes plans on `~/plan`.

    pause: seconds between two moves.
    """

    def __init__(self, node: Node, pause: float) -> None:
        self._node = node
        self._pause = pause
        self._plan = node.create_publisher(JointTrajectory, "~/plan", _LATCHED)

    def show(self, moves: Sequence[Trajectory]) -> str:
        """Publish the moves, and tell of them in the log; returns what was shown in a sentence."""
        whole = concatenate(moves, self._pause)
        self._plan.publish(trajectory_message(whole))
        low, high = whole.positions.min(axis=0), whole.positions.max(axis=0)
        ranges = ", ".join(
            f"{name} {a:.2f} .. {b:.2f}" for name, a, b in zip(whole.joints, low, high, strict=True)
        )
        told = (
            f"allow_motion is false, nothing moves: ~/plan shows {len(moves)} moves in "
            f"{whole.duration:.0f} s"
        )
        self._node.get_logger().warning(f"{told}; joints would go {ranges}")
        return told
