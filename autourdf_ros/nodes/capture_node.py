"""Moves the robot a little at a time and records what the depth cameras see while it stands still.

Moves only with `allow_motion`, within the joint limits of its parameters; otherwise it publishes
what it would do on `~/plan`. Stops at once when readings or clouds go silent, when a joint does not
follow, or on `~/stop`, and then waits for a human.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.motion.session import CaptureSession, Status, plan
from autourdf_ros.nodes.cameras import Cameras
from autourdf_ros.nodes.capture_cell import CaptureCell
from autourdf_ros.nodes.capture_parameters import (
    declare_cleaning,
    declare_limits,
    declare_settings,
    declare_timeouts,
    refuse_unknown,
)
from autourdf_ros.nodes.commander import INTERFACES, create_commander
from autourdf_ros.nodes.conversions import concatenate, diagnostic, trajectory_message
from autourdf_ros.nodes.matched_subscription import RELIABILITIES
from autourdf_ros.nodes.parameters import Parameters

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class CaptureNode(Node):
    """The `capture` node. Raises InputError when a parameter cannot be used."""

    def __init__(self, **options: Any) -> None:
        super().__init__("capture", **options)
        parameters = Parameters(self)
        self._allow_motion = parameters.flag(
            "allow_motion", False, "whether the robot may move; otherwise only ~/plan is published"
        )
        self._autostart = parameters.flag(
            "autostart", False, "whether to start once cameras, readings and controller are there"
        )
        recordings = parameters.text(
            "recording", "recordings", "folder below which recordings are written"
        )
        # Absolute: other nodes are told the path, and may run in another folder.
        self._recordings = Path(recordings).expanduser().absolute()
        self._base_frame = parameters.text(
            "base_frame", "base_link", "frame of the recorded points; its z points up"
        )
        self._limits = declare_limits(parameters, self.get_fully_qualified_name())
        self._settings = declare_settings(parameters)
        self._cell = self._create_cell(parameters)
        refuse_unknown(parameters, self._limits, self.get_fully_qualified_name())
        self._status = Status("idle", frames=self._settings.sequences * self._settings.frames)
        self._problem = ""
        self._recording: Path | None = None
        self._session: threading.Thread | None = None
        self._last_advice = 0.0
        self._plan = self.create_publisher(JointTrajectory, "~/plan", _LATCHED)
        self._completed = self.create_publisher(String, "~/completed", _LATCHED)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_service(Trigger, "~/start", self._on_start)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self.create_timer(0.5, self._on_timer)

    def end(self) -> bool:
        """Stop the robot if it moves, and end the recording; to be called until it returns True.

        The node has to spin meanwhile: a smooth stop needs its timers and readings.
        """
        self._autostart = False
        self._cell.stop("the capture node is shutting down")
        return not self._running

    @property
    def _running(self) -> bool:
        return self._session is not None and self._session.is_alive()

    def _create_cell(self, parameters: Parameters) -> CaptureCell:
        topics = parameters.texts("cameras", [], "topics of the cameras' PointCloud2")
        if not topics:
            raise InputError(
                f"{self.get_fully_qualified_name()}: parameter cameras is empty; accepted is a "
                "list of PointCloud2 topics"
            )
        reliability = parameters.text(
            "cloud_reliability", "auto", "auto takes what the cameras offer", RELIABILITIES
        )
        interface = parameters.text(
            "command_interface", "joint_trajectory", "how to command", tuple(INTERFACES)
        )
        topic = parameters.text(
            "command_topic", "", "topic or action of the controller; empty: the interface's default"
        )
        return CaptureCell(
            self,
            list(self._limits),
            Cameras(self, topics, self._base_frame, reliability),
            create_commander(self, interface, topic),
            declare_cleaning(parameters),
            declare_timeouts(parameters),
        )

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        missing = self._cell.missing()
        if self._running:
            response.message = "already capturing"
        elif missing:
            response.message = "cannot start: " + "; ".join(missing)
        else:
            response.success, response.message = self._start()
        return response

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._autostart = False
        response.success = self._running
        if self._running:
            self._cell.stop("~/stop was called")
        response.message = "stopping" if response.success else "nothing to stop: not capturing"
        return response

    def _on_timer(self) -> None:
        if self._autostart and not self._running:
            missing = self._cell.missing()
            self._problem = "waiting: " + "; ".join(missing) if missing else ""
            if not missing:
                self._autostart = False
                self._start()
            elif time.monotonic() > self._last_advice + 5.0:
                self._last_advice = time.monotonic()
                self.get_logger().warning(self._problem)
        self._publish_diagnostics()

    def _start(self) -> tuple[bool, str]:
        self._problem = ""
        if not self._allow_motion:
            return False, self._show_plan()
        folder = self._recordings / datetime.now().strftime("%Y%m%d_%H%M%S_%f")
        self._cell.ready()
        self._recording = folder
        self._session = threading.Thread(target=self._capture, args=(folder,), name="session")
        self._session.start()
        return True, f"recording to {folder}"

    def _capture(self, folder: Path) -> None:
        """Body of the session's thread."""
        self.get_logger().info(f"recording to {folder}")
        session = CaptureSession(self._cell, self._limits, self._settings, self._report)
        try:
            self._cell.open(folder, self._base_frame)
            session.run()
            self._cell.finish_writing()
            self._cell.close("completed", refusals=self._status.refusals)
        except AutourdfError as error:
            self._give_up(str(error))
        except Exception as error:
            self._give_up(f"unexpected {type(error).__name__}: {error}")
            raise
        else:
            self.get_logger().info(f"complete: {folder}")
            self._completed.publish(String(data=str(folder)))
        self._publish_diagnostics()

    def _give_up(self, reason: str) -> None:
        self._problem = f"stopped: {reason}"
        self.get_logger().error(
            f"{self._problem}. {self._status.frame} frames are in {self._recording}; "
            "~/start begins a new recording"
        )
        self._publish_diagnostics()
        self._cell.close("stopped", reason=reason)

    def _show_plan(self) -> str:
        """Publish what a session would do from here."""
        newest = self._cell.history.latest
        if newest is None:
            return "no joint readings"
        try:
            moves = plan(newest[1], self._limits, self._settings)
        except InputError as error:
            self._problem = str(error)
            return str(error)
        whole = concatenate(moves, self._settings.still_window)
        self._plan.publish(trajectory_message(whole))
        low, high = whole.positions.min(axis=0), whole.positions.max(axis=0)
        ranges = ", ".join(
            f"{name} {a:.2f} .. {b:.2f}" for name, a, b in zip(whole.joints, low, high, strict=True)
        )
        self._problem = (
            f"allow_motion is false, nothing moves: ~/plan shows {len(moves)} moves in "
            f"{whole.duration:.0f} s"
        )
        self.get_logger().warning(f"{self._problem}; joints would go {ranges}")
        return self._problem

    def _report(self, status: Status) -> None:
        if status.refusals > self._status.refusals:
            self.get_logger().warning("the controller refused a target; trying another")
        if status.frame > self._status.frame:
            self.get_logger().info(
                f"sequence {status.sequence + 1}: frame {status.frame} of {status.frames}"
            )
        self._status = status

    def _publish_diagnostics(self) -> None:
        status = self._status
        level, message = DiagnosticStatus.OK, status.phase
        if self._problem:
            stopped = self._problem.startswith("stopped")
            level = DiagnosticStatus.ERROR if stopped else DiagnosticStatus.WARN
            message = self._problem
        values = {
            "phase": status.phase,
            "sequence": status.sequence,
            "frame": status.frame,
            "frames": status.frames,
            "progress": f"{status.frame / status.frames:.2f}",
            "refused targets": status.refusals,
            "recording": self._recording or "",
            "allow_motion": self._allow_motion,
        }
        array = DiagnosticArray(status=[diagnostic("capture", level, message, values)])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def main() -> int:
    """Run the node until SIGINT or SIGTERM; 2 when a parameter cannot be used."""
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        node = CaptureNode()
    except InputError as error:
        print(f"capture: {error}", file=sys.stderr)
        rclpy.try_shutdown()
        return error.exit_code
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while not (ended.is_set() and node.end()):
            executor.spin_once(timeout_sec=0.1)
    except ExternalShutdownException:
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
