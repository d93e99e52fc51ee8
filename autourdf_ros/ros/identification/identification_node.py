"""Weighs what the robot holds: the action `~/identify` turns it, records, and finds its inertia.

The node moves the robot only with `allow_motion`, within the joint limits of its parameters;
otherwise it publishes its plan on `~/plan`. It stops at once when something fails, when the goal is
cancelled or on `~/stop`, and then waits for a human. What was recorded until then is kept. The
payload is on the latched topic `~/payload`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

from autourdf_msgs.action import Identify
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import InertiaStamped
from rclpy.node import Node
from std_srvs.srv import Trigger

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.ros.capture.dry_run import DryRun
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.goal_server import GoalServer
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.identification.identification_parameters import (
    IdentificationSettings,
    declare_identification,
)
from autourdf_ros.ros.identification.sources.effort_source import EffortSource
from autourdf_ros.ros.identification.sources.load_source import LoadSource
from autourdf_ros.ros.identification.sources.wrench_source import WrenchSource
from autourdf_ros.ros.identification.weighing_cell import WeighingCell
from autourdf_ros.ros.identification.weighing_result import inertia_message
from autourdf_ros.ros.identification.weighing_runner import WeighingRunner

_PERIOD = 0.1
"""Between two feedbacks (s)."""
_REPORTS = 5
"""Feedbacks for each report on /diagnostics."""


class IdentificationNode(Node):
    """The `identification` node. Raises InputError when a parameter cannot be used."""

    def __init__(self, **options: Any) -> None:
        super().__init__("identification", **options)
        settings = declare_identification(self)
        self._settings, screened = settings, settings.screened
        frames = Cameras(self, [], settings.base_frame, "auto", 0.0)
        self._cell = WeighingCell(
            self,
            settings.motion,
            frames,
            screened.unmoved,
            self._source(settings, frames),
            settings.turning.dwell,
        )
        path_screen = PathScreen(
            screened.forbidden, screened.distances, self._cell.unmoved_positions
        )
        dry_run = DryRun(
            self, settings.motion.limits, path_screen, screened.frame, settings.turning.dwell
        )
        self._runner = WeighingRunner(
            self._cell, settings, path_screen, dry_run.show, self.get_logger(), frames.transform
        )
        self._problem, self._ticks = "", 0
        self._payload = self.create_publisher(InertiaStamped, "~/payload", LATCHED)
        self._diagnostics = Diagnostics(self)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self._goals = GoalServer(
            self, Identify, "~/identify", self._begin, self._runner.stop, self._busy
        )
        self.create_timer(_PERIOD, self._on_timer)
        may = "may move" if settings.motion.allowed else "only plans (allow_motion is false)"
        self.get_logger().info(f"ready for goals of ~/identify; the robot {may}")

    def end(self) -> bool:
        """Stop the robot if it moves, and end the goal; call it until it returns True.

        The node has to spin meanwhile, since a smooth stop needs its timers and readings.
        """
        self._runner.stop("the identification node is shutting down")
        return not self._runner.running and not self._goals.working

    def close(self) -> None:
        """Withdraw the action."""
        self._goals.destroy()

    def _source(self, settings: IdentificationSettings, frames: Cameras) -> LoadSource:
        sensor = settings.sensor
        if sensor.source == "wrench":
            return WrenchSource(self, sensor, settings.base_frame, frames)
        joints = list(settings.motion.limits)
        topic = self.resolve_topic_name("joint_states")
        return EffortSource(joints, sensor.urdf, sensor.link, topic, sensor.timeout)

    def _busy(self) -> str:
        return "one is worked on already" if self._runner.running else ""

    def _begin(self, goal: Identify.Goal, _: Callable[[], bool]) -> None:
        self._problem = ""
        stamp = datetime.now().strftime("%Y%m%d_%H%M%S_%f")
        self._runner.begin(goal, self._settings.payloads / stamp)

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._runner.running
        if self._runner.running:
            self._runner.stop("~/stop was called")
        response.message = "stopping" if response.success else "nothing to stop: no goal"
        return response

    def _on_timer(self) -> None:
        self._give_feedback()
        outcome = self._runner.outcome
        if self._goals.pending and outcome is not None:
            self._conclude(outcome)
        self._ticks += 1
        if self._ticks % _REPORTS == 0:
            self._publish_diagnostics()

    def _conclude(self, outcome: Identify.Result) -> None:
        if outcome.success and outcome.frame:
            self._payload.publish(inertia_message(outcome, self.get_clock().now().to_msg()))
        self._problem = "" if outcome.success else f"stopped: {outcome.message}"
        self._publish_diagnostics()
        self._goals.conclude(outcome)

    def _give_feedback(self) -> None:
        status = self._runner.status
        self._goals.report(
            Identify.Feedback(
                stage=status.stage,
                progress=status.progress,
                pose=status.pose,
                poses=status.poses,
                message=status.message,
            )
        )

    def _publish_diagnostics(self) -> None:
        status = self._runner.status
        level = DiagnosticStatus.ERROR if self._problem else DiagnosticStatus.OK
        values = {
            "stage": status.stage,
            "progress": f"{status.progress:.2f}",
            "pose": status.pose,
            "poses": status.poses,
            "allow_motion": self._settings.motion.allowed,
            "source": self._settings.sensor.source,
            "frame": self._cell.source.frame,
        }
        message = self._problem or status.message or status.stage
        self._diagnostics.publish("identification", level, message, values)


def main() -> int:
    """Run the node until SIGINT or SIGTERM; return 2 when a parameter cannot be used."""
    return run_node(IdentificationNode, "identification")


if __name__ == "__main__":
    sys.exit(main())
