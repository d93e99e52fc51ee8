"""Moves the robot in small steps and records the views of the depth cameras while it stands still.

The node moves the robot only with `allow_motion`, within the joint limits of its parameters;
otherwise it publishes its plan on `~/plan`. It stops at once when something fails
(docs/capture_faults.md) or on `~/stop`, and then waits for a human. `~/pause` brings the robot to
rest until `~/resume`; `~/home` goes to the position of parameter `home`, or to where the latest
recording began; `~/resume_recording` records what a stopped one lacks. The action `~/capture` does
what these services begin, and ends with the recording. `~/record_background` moves nothing: it
records the scene without the robot, which parameter `background` then removes from the frames.
It is a managed node: deactivated, it stops the robot and refuses all of this.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.planning import Plan, plan, way_home
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError
from autourdf_ros.files.numbered_folder import next_folder
from autourdf_ros.ros.capture.adjustable import NAMES, Adjustable
from autourdf_ros.ros.capture.capture_diagnostics import CaptureDiagnostics
from autourdf_ros.ros.capture.capture_requests import CaptureRequests, Left, cannot_start
from autourdf_ros.ros.capture.capture_runner import CaptureRunner
from autourdf_ros.ros.capture.capture_setup import create_cell
from autourdf_ros.ros.capture.dry_run import FORBIDDEN, DryRun
from autourdf_ros.ros.capture.readiness import Readiness, declare_patience
from autourdf_ros.ros.cell.capture_parameters import (
    declare_home,
    declare_limits,
    declare_name,
    declare_settings,
    declare_urdf,
    refuse_unknown,
)
from autourdf_ros.ros.cell.screen_parameters import declare_screened, refuse_blind_steps
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.managed.managed_node import ManagedNode


class CaptureNode(ManagedNode):
    """The `capture` node. Raises InputError when a parameter cannot be used."""

    def __init__(self, **options: Any) -> None:
        super().__init__("capture", **options)

    def configure(self) -> None:
        """Check all parameters, and hear the robot and its cameras; nothing moves."""
        parameters = Parameters(self, adjustable=NAMES)
        self._allow_motion = parameters.flag(
            "allow_motion", False, "whether the robot may move; otherwise only ~/plan is published"
        )
        self._autostart = parameters.flag(
            "autostart", False, "whether to start once cameras, readings and controller are ready"
        )
        recordings = parameters.text(
            "recording", "recordings", "folder in which recordings are written"
        )
        self._name = declare_name(parameters, self.get_namespace())
        # Absolute: other nodes receive the path, and may run in another folder.
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
        home = declare_home(parameters, self._limits, where)
        self._settings = declare_settings(parameters)
        if self._settings.excitation == "informative":
            # The import takes seconds: do it before anything depends on short response times.
            import_module("autourdf_ros.commanding.targets.informative_targets")
        self._control = Control(self._settings.speed)
        self._adjustable = Adjustable(self._control, self._limits, home, where)
        screened = declare_screened(parameters, self._limits, self._base_frame, urdf, where)
        refuse_blind_steps(screened, self._limits, self._settings.step_max, where)
        joints = list(self._limits)
        self._cell = create_cell(self, parameters, self._limits, screened.unmoved, self._base_frame)
        self._readiness = Readiness(self, self._cell.missing, declare_patience(parameters))
        self._path_screen = PathScreen(
            screened.forbidden, screened.distances, self._cell.unmoved_positions
        )
        refuse_unknown(parameters, self._limits, where)
        if screened.blind(joints):
            self.get_logger().warning("no model: collisions of the links are not screened")
        self._runner = CaptureRunner(
            self._cell,
            self._limits,
            self._settings,
            self._control,
            self._path_screen,
            self._base_frame,
            self.get_logger(),
            self._publish_diagnostics,
        )
        self._last_advice = 0.0
        self._dry_run = DryRun(
            self, self._limits, self._path_screen, screened.frame, self._settings.still_window
        )
        self._begun = self.create_publisher(String, "~/begun", LATCHED)
        self._completed = self.create_publisher(String, "~/completed", LATCHED)
        self._diagnostics = CaptureDiagnostics(self, self._allow_motion, self._name)
        self._requests = CaptureRequests(
            self,
            self._runner,
            self._readiness,
            self._allow_motion,
            self._record,
            self._planned,
            self._show_plan,
        )
        self.at_cleanup(self._requests.close)
        self._create_services()
        self.create_timer(0.5, self._on_timer)

    def _create_services(self) -> None:
        # They wait for what is missing, which arrives by callbacks of the other group.
        group = ReentrantCallbackGroup()
        start, home = self.armed(self._on_start), self.armed(self._on_home)
        goes_on = self.armed(self._on_resume_recording)
        self.create_service(Trigger, "~/start", start, callback_group=group)
        self.create_service(Trigger, "~/home", home, callback_group=group)
        self.create_service(Trigger, "~/resume_recording", goes_on, callback_group=group)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self.create_service(Trigger, "~/pause", self._on_pause)
        self.create_service(Trigger, "~/resume", self.armed(self._on_resume))
        background = self.armed(self._on_record_background)
        self.create_service(Trigger, "~/record_background", background)

    def halt(self, reason: str) -> bool:
        """Stop the robot if it moves, and end the recording, as `~/stop` does.

        The node has to spin meanwhile, since a smooth stop needs its timers and readings.
        """
        self._autostart = False
        self._requests.stop(reason)
        return self._requests.ended

    def adjust(self, parameters: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Take another speed or home."""
        return self._adjustable.change(parameters)

    async def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        answer = await self._requests.ask()
        response.success, response.message = answer.success, answer.message
        return response

    async def _on_resume_recording(
        self, _: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        answer = await self._requests.ask(resume=True)
        response.success, response.message = answer.success, answer.message
        return response

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._autostart = False
        response.success = self._requests.stop("~/stop was called")
        response.message = "stopping" if response.success else "nothing to stop: not capturing"
        return response

    def _on_pause(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if not self._runner.running or self._control.paused:
            paused = self._runner.running and self._control.paused
            response.message = "already paused" if paused else "nothing to pause: not moving"
        else:
            self._control.paused = response.success = True
            response.message = "pausing; ~/resume continues, ~/stop ends"
        return response

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._runner.running and self._control.paused
        response.message = "resuming" if response.success else "nothing to resume: not paused"
        self._control.paused = False
        return response

    async def _on_home(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        home = self._adjustable.home or self._runner.began
        missing = "" if self._runner.running or not home else await self._readiness.problem()
        missing = missing or self.refusal  # it may have been deactivated meanwhile
        if self._runner.running:
            response.message = "already moving"
        elif not home:
            response.message = (
                "no home: parameter home is empty, and no recording has begun; accepted is a "
                f"position per joint: ros2 param set {self.get_fully_qualified_name()} home '[...]'"
            )
        elif missing:
            response.message = f"cannot go home: {missing}"
        elif not self._allow_motion:
            response.success, response.message = self._show_plan(
                lambda here: way_home(
                    here, home, self._limits, self._control.speed, self._path_screen
                ),
                FORBIDDEN,
            )
        else:
            self._runner.go(home)
            response.success, response.message = True, "going home"
        return response

    def _on_record_background(
        self, _: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        missing = self._cell.missing_clouds()
        if self._runner.running:
            response.message = "already capturing"
        elif missing:
            response.message = "cannot record: " + "; ".join(missing)
        else:
            folder = next_folder(self._recordings, "background")
            self._runner.record_background(folder)
            response.success, response.message = True, f"recording to {folder}"
        return response

    def _on_timer(self) -> None:
        if self._autostart and not self.refusal and not self._runner.running:
            missing = self._cell.missing()
            self._runner.problem = "waiting: " + "; ".join(missing) if missing else ""
            if not missing:
                self._autostart = False
                self._requests.begin()
            elif time.monotonic() > self._last_advice + 5.0:
                self._last_advice = time.monotonic()
                self.get_logger().warning(self._runner.problem)
        self._publish_diagnostics()

    def _planned(self, here: Positions, sequences: int | None) -> Plan:
        settings = replace(self._settings, speed=self._control.speed)
        settings = replace(settings, sequences=sequences or settings.sequences)
        return plan(here, self._limits, settings, self._path_screen)

    def _record(self, left: Left | None) -> Path:
        """Begin a recording, or go on with one; return its folder."""
        folder, sequences = left or (
            self._resume or next_folder(self._recordings, self._name),
            None,
        )
        resume = left is not None or self._resume is not None
        self._runner.capture(folder, self._on_completed, resume, sequences)
        self._begun.publish(String(data=str(folder)))
        return folder

    def _on_completed(self, folder: Path) -> None:
        self._completed.publish(String(data=str(folder)))

    def _show_plan(self, planned: Callable[[Positions], Plan], reason: str) -> tuple[bool, str]:
        """Publish the plan of the robot from where it stands; return whether there is one."""
        self._runner.problem = ""
        newest = self._cell.history.latest
        if newest is None:
            return False, "no joint readings"
        try:
            shown = planned(newest[1])
        except InputError as error:
            self._runner.problem = str(error)
            return False, str(error)
        self._runner.problem = self._dry_run.show(shown, reason)
        return True, self._runner.problem

    def _publish_diagnostics(self) -> None:
        problem = self._runner.problem
        if not problem and not self._runner.running and (missing := self._cell.missing()):
            problem = cannot_start("; ".join(missing))
        self._diagnostics.publish(
            self._runner.status,
            problem,
            self._runner.recording,
            self._control.speed,
            self._cell.counts,
        )


def main() -> int:
    """Run the node until SIGINT or SIGTERM; return 2 when a parameter cannot be used."""
    return run_node(CaptureNode, "capture")


if __name__ == "__main__":
    sys.exit(main())
