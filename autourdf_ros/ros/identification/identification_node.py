"""Weighs what the robot holds: the action `~/identify` turns it, records, and finds its inertia.

The node moves the robot only with `allow_motion`, within the joint limits of its parameters;
otherwise it publishes its plan on `~/plan`. It stops at once when something fails, when the goal is
cancelled or on `~/stop`, and then waits for a human. What was recorded until then is kept. The
payload is on the latched topic `~/payload`.
"""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from autourdf_msgs.action import Identify
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import InertiaStamped
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.ros.capture.dry_run import DryRun
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.common.diagnostics import Diagnostics
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
from autourdf_ros.ros.identification.weighing_runner import WeighingRunner, WeighingStatus

if TYPE_CHECKING:  # rclpy of some distributions has no generic goal handles
    Handle: TypeAlias = ServerGoalHandle[Any, Any, Any]

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
        self._handle: Handle | None = None
        self._ended: Future[Identify.Result] = Future()
        self._reported = WeighingStatus()
        self._payload = self.create_publisher(InertiaStamped, "~/payload", LATCHED)
        self._diagnostics = Diagnostics(self)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self._server = ActionServer(
            self,
            Identify,
            "~/identify",
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )
        self.create_timer(_PERIOD, self._on_timer)
        may = "may move" if settings.motion.allowed else "only plans (allow_motion is false)"
        self.get_logger().info(f"ready for goals of ~/identify; the robot {may}")

    def end(self) -> bool:
        """Stop the robot if it moves, and end the goal; call it until it returns True.

        The node has to spin meanwhile, since a smooth stop needs its timers and readings.
        """
        self._runner.stop("the identification node is shutting down")
        return not self._runner.running and self._handle is None

    def close(self) -> None:
        """Withdraw the action."""
        self._server.destroy()

    def _source(self, settings: IdentificationSettings, frames: Cameras) -> LoadSource:
        sensor = settings.sensor
        if sensor.source == "wrench":
            return WrenchSource(self, sensor, settings.base_frame, frames)
        joints = list(settings.motion.limits)
        topic = self.resolve_topic_name("joint_states")
        return EffortSource(joints, sensor.urdf, sensor.link, topic, sensor.timeout)

    def _on_goal(self, _: Identify.Goal) -> GoalResponse:
        if self._runner.running or self._handle is not None:
            self.get_logger().warning("a goal is refused: one is worked on already")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    async def _execute(self, handle: Handle) -> Identify.Result:
        """Begin, and wait for the end while the executor does other things."""
        self._handle, self._ended, self._problem = handle, Future(), ""
        stamp = datetime.now().strftime("%Y%m%d_%H%M%S_%f")
        self._runner.begin(handle.request, self._settings.payloads / stamp)
        if handle.is_cancel_requested:  # while the goal waited to be executed
            self._runner.stop("the goal was cancelled")
        result = await self._ended
        assert result is not None
        if result.success:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        self._handle = None
        return result

    def _on_cancel(self, _: Handle) -> CancelResponse:
        self._runner.stop("the goal was cancelled")
        return CancelResponse.ACCEPT

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._runner.running
        if self._runner.running:
            self._runner.stop("~/stop was called")
        response.message = "stopping" if response.success else "nothing to stop: no goal"
        return response

    def _on_timer(self) -> None:
        self._give_feedback()
        outcome = self._runner.outcome
        if self._handle is not None and outcome is not None and not self._ended.done():
            self._conclude(outcome)
        self._ticks += 1
        if self._ticks % _REPORTS == 0:
            self._publish_diagnostics()

    def _conclude(self, outcome: Identify.Result) -> None:
        if outcome.success and outcome.frame:
            self._payload.publish(inertia_message(outcome, self.get_clock().now().to_msg()))
        self._problem = "" if outcome.success else f"stopped: {outcome.message}"
        self._publish_diagnostics()
        self._ended.set_result(outcome)

    def _give_feedback(self) -> None:
        status = self._runner.status
        if self._handle is None or status == self._reported:
            return
        self._reported = status
        self._handle.publish_feedback(
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
