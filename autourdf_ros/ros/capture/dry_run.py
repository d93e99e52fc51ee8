"""Shows a plan without moving the robot."""

from __future__ import annotations

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.plan_table import moves_text, plan_table
from autourdf_ros.commanding.session.planning import Plan
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.capture.plan_markers import plan_markers
from autourdf_ros.ros.common.conversions import concatenate, trajectory_message
from autourdf_ros.ros.common.quality import LATCHED

ASKED = "dry_run"
"""The reason why nothing moves where that is what was asked for."""
FORBIDDEN = "allow_motion is false"
"""The reason where the robot may not move."""


class DryRun:
    """Publishes plans on `~/plan`, and the paths of the links on `~/plan_markers`."""

    def __init__(
        self, node: Node, limits: Limits, path_screen: PathScreen, frame: str, pause: float
    ) -> None:
        """Create the publishers.

        Args:
            node: the owner.
            limits: of the joints.
            path_screen: gives the paths of the links.
            frame: of the markers.
            pause: time between two moves (s).
        """
        self._node = node
        self._limits = limits
        self._path_screen = path_screen
        self._frame = frame
        self._pause = pause
        self._plan = node.create_publisher(JointTrajectory, "~/plan", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/plan_markers", LATCHED)

    def show(self, plan: Plan, reason: str = FORBIDDEN) -> str:
        """Publish the moves and log a table of them; return a summary in one sentence.

        Args:
            plan: the moves.
            reason: why nothing moves.
        """
        whole = concatenate(plan.moves, self._pause)
        self._plan.publish(trajectory_message(whole))
        table = plan_table(plan, self._limits, whole.duration)
        configurations = [
            dict(zip(whole.joints, row, strict=True)) for row in whole.positions.tolist()
        ]
        paths = self._path_screen.link_paths(configurations)
        self._markers.publish(plan_markers(paths, self._frame, table))
        summary = f"{reason}, nothing moves: ~/plan shows {moves_text(plan, whole.duration)}"
        logger = self._node.get_logger()
        # rclpy refuses one line of code that logs by several severities.
        if reason == ASKED:
            logger.info(f"{summary}\n{table}")
        else:
            logger.warning(f"{summary}\n{table}")
        return summary
