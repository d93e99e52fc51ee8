"""Moves the robot a little at a time and records what the depth cameras see while it stands still.

Moves only with `allow_motion`, within the joint limits of its parameters; otherwise it publishes
what it would do on `~/plan`. Stops at once when readings or clouds go silent, when a joint does not
follow, or on `~/stop`, and then waits for a human. `~/pause` brings the robot to rest until
`~/resume`; `~/home` goes to the position that is given as `home`.
`~/record_background` moves nothing: it records the scene without the robot, which the parameter
`background` then takes away.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String
from std_srvs.srv import Trigger

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.motion.control import Control
from autourdf_ros.motion.learning import Learner, LearningProcess
from autourdf_ros.motion.path_screen import PathScreen
from autourdf_ros.motion.planning import Plan, check_start, plan
from autourdf_ros.motion.session import CaptureSession
from autourdf_ros.motion.status import Status
from autourdf_ros.motion.trajectory import Positions, through
from autourdf_ros.nodes.capture_diagnostics import CaptureDiagnostics
from autourdf_ros.nodes.capture_parameters import (
    SPEED_RANGE,
    declare_home,
    declare_limits,
    declare_settings,
    declare_urdf,
    refuse_unknown,
)
from autourdf_ros.nodes.capture_setup import create_cell
from autourdf_ros.nodes.dry_run import DryRun
from autourdf_ros.nodes.parameters import Parameters, is_number
from autourdf_ros.nodes.screen_parameters import declare_screened, refuse_blind_steps

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class CaptureNode(Node):
    """The `capture` node. Raises InputError when a parameter cannot be used."""

    def __init__(self, **options: Any) -> None:
        super().__init__("capture", **options)
        parameters = Parameters(self, adjustable=["speed"])
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
        resume = parameters.text(
            "resume", "", "recording to add sequences to; empty: every start begins a new one"
        )
        self._resume = Path(resume).expanduser().absolute() if resume else None
        self._base_frame = parameters.text(
            "base_frame", "base_link", "frame of the recorded points; its z points up"
        )
        where, urdf = self.get_fully_qualified_name(), declare_urdf(parameters)
        self._limits = declare_limits(parameters, urdf, where)
        self._home = declare_home(parameters, self._limits, where)
        self._settings = declare_settings(parameters)
        if self._settings.excitation == "informative":
            # The engine takes seconds to import: before there is anything that must not wait.
            import_module("autourdf_ros.motion.informative")
        self._control = Control(self._settings.speed)
        screened = declare_screened(parameters, self._limits, self._base_frame, urdf, where)
        refuse_blind_steps(screened, self._limits, self._settings.step_max, where)
        joints = list(self._limits)
        self._cell = create_cell(self, parameters, self._limits, screened.unmoved, self._base_frame)
        self._path_screen = PathScreen(
            screened.forbidden, screened.distances, self._cell.unmoved_positions
        )
        refuse_unknown(parameters, self._limits, where)
        if screened.blind(joints):
            self.get_logger().warning("no model: what the links meet is not screened")
        self._status = Status("idle", frames=self._settings.sequences * self._settings.frames)
        self._problem = ""
        self._recording: Path | None = None
        self._session: threading.Thread | None = None
        self._last_advice = 0.0
        self._dry_run = DryRun(
            self, self._limits, self._path_screen, screened.frame, self._settings.still_window
        )
        self._completed = self.create_publisher(String, "~/completed", _LATCHED)
        self._diagnostics = CaptureDiagnostics(self, self._allow_motion)
        self.create_service(Trigger, "~/start", self._on_start)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self.create_service(Trigger, "~/pause", self._on_pause)
        self.create_service(Trigger, "~/resume", self._on_resume)
        self.create_service(Trigger, "~/home", self._on_home)
        self.create_service(Trigger, "~/record_background", self._on_record_background)
        self.add_on_set_parameters_callback(self._on_parameters)
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

    def _on_pause(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if not self._running or self._control.paused:
            paused = self._running and self._control.paused
            response.message = "already paused" if paused else "nothing to pause: not moving"
        else:
            self._control.paused = response.success = True
            response.message = "pausing; ~/resume goes on, ~/stop ends"
        return response

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._running and self._control.paused
        response.message = "going on" if response.success else "nothing to resume: not paused"
        self._control.paused = False
        return response

    def _on_home(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        missing = self._cell.missing()
        if self._running:
            response.message = "already moving"
        elif not self._home:
            response.message = "no home: parameter home is empty; accepted is a position per joint"
        elif missing:
            response.message = "cannot go home: " + "; ".join(missing)
        elif not self._allow_motion:
            response.message = self._show_plan(self._way_home)
        else:
            self._begin(self._go_home)
            response.success, response.message = True, "going home"
        return response

    def _on_record_background(
        self, _: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        missing = self._cell.missing_clouds()
        if self._running:
            response.message = "already capturing"
        elif missing:
            response.message = "cannot record: " + "; ".join(missing)
        else:
            folder = self._recordings / f"background_{_stamp()}"
            self._begin(lambda: self._record_background(folder))
            response.success, response.message = True, f"recording to {folder}"
        return response

    def _on_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        """Only `speed` may change; it counts from the next motion on."""
        low, high = SPEED_RANGE
        for change in changes:
            if change.name != "speed":
                continue
            if not is_number(change.value) or not low <= change.value <= high:
                reason = f"speed is {change.value!r}; accepted is a number from {low:g} to {high:g}"
                return SetParametersResult(successful=False, reason=reason)
            self._control.speed = float(change.value)
        return SetParametersResult(successful=True)

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
        settings = replace(self._settings, speed=self._control.speed)
        if not self._allow_motion:
            return False, self._show_plan(
                lambda here: plan(here, self._limits, settings, self._path_screen)
            )
        folder = self._resume or self._recordings / _stamp()
        self._recording = folder
        self._begin(lambda: self._capture(folder))
        return True, f"recording to {folder}"

    def _begin(self, work: Callable[[], None]) -> None:
        """Let the robot move in a thread of its own."""
        self._problem = ""
        self._cell.ready()
        self._control.paused = False
        self._session = threading.Thread(target=self._guard, args=(work,), name="session")
        self._session.start()

    def _guard(self, work: Callable[[], None]) -> None:
        """Body of the session's thread."""
        try:
            work()
        except AutourdfError as error:
            self._give_up(str(error))
        except Exception as error:
            self._give_up(f"unexpected {type(error).__name__}: {error}")
            raise
        self._publish_diagnostics()

    def _create_session(self, first: int = 0, learner: Learner | None = None) -> CaptureSession:
        cell, limits, settings = self._cell, self._limits, replace(self._settings, first=first)
        return CaptureSession(
            cell, limits, settings, self._report, self._control, self._path_screen, learner
        )

    def _capture(self, folder: Path) -> None:
        self.get_logger().info(f"recording to {folder}")
        first = self._cell.open(folder, self._base_frame, resume=self._resume is not None)
        with ExitStack() as stack:
            learner = None
            if self._settings.excitation == "informative":
                learner = stack.enter_context(closing(LearningProcess(folder, self._base_frame)))
            self._create_session(first, learner).run()
        self._cell.finish_writing()
        self._cell.close("completed", refusals=self._status.refusals)
        self.get_logger().info(f"complete: {folder}")
        self._completed.publish(String(data=str(folder)))

    def _record_background(self, folder: Path) -> None:
        self._recording = None
        self._report(replace(self._status, phase="recording the background"))
        self._cell.record_background(folder, self._base_frame)
        self._cell.close("completed")
        self._report(replace(self._status, phase=f"the background is in {folder}"))
        self.get_logger().info(f"the background is in {folder}: give it as parameter background")

    def _go_home(self) -> None:
        self._recording = None
        self._create_session().travel(self._home)
        self.get_logger().info("at home")

    def _way_home(self, here: Positions) -> Plan:
        check_start(here, self._limits, self._path_screen)
        reason = self._path_screen.reason([here, self._home])
        if reason is not None:
            raise InputError(f"there is no straight way home: {reason}")
        return Plan((through([here, self._home], self._limits, self._control.speed),))

    def _give_up(self, reason: str) -> None:
        self._problem = f"stopped: {reason}"
        kept = f". {self._status.frame} frames are in {self._recording}"
        self.get_logger().error(self._problem + (kept if self._recording else ""))
        self._publish_diagnostics()
        try:
            self._cell.close("stopped", reason=reason)
        except AutourdfError as error:  # it may be the recording that failed
            self.get_logger().error(f"the recording was not ended: {error}")

    def _show_plan(self, planned: Callable[[Positions], Plan]) -> str:
        """Publish what the robot would do from where it is."""
        newest = self._cell.history.latest
        if newest is None:
            return "no joint readings"
        try:
            shown = planned(newest[1])
        except InputError as error:
            self._problem = str(error)
            return str(error)
        self._problem = self._dry_run.show(shown)
        return self._problem

    def _report(self, status: Status) -> None:
        if status.refusals > self._status.refusals:
            told = f"target {status.refusals} was refused: {status.refusal}; trying another"
            self.get_logger().warning(told)
        if status.rejections != self._status.rejections:
            self.get_logger().warning(f"looking again: {status.rejection}")
        if status.frame > self._status.frame:
            self.get_logger().info(
                f"sequence {status.sequence + 1}: frame {status.frame} of {status.frames}"
            )
        self._status = status

    def _publish_diagnostics(self) -> None:
        self._diagnostics.publish(
            self._status, self._problem, self._recording, self._control.speed, self._cell.counts
        )


def _stamp() -> str:
    return datetime.now().strftime("%Y%m%d_%H%M%S_%f")


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
