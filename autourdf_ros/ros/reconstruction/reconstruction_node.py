"""Reconstructs the robot when a capture completes, or when asked, in a process of its own.

`~/start` begins, `~/cancel` ends; the action `~/reconstruct` begins and ends with the result. It is
a managed node: a deactivation cancels what runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autourdf_msgs.action import Reconstruct
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import String
from std_srvs.srv import Trigger

from autourdf_ros.errors import InputError
from autourdf_ros.export.given_limits import read_given_limits
from autourdf_ros.files.atomic_folder import remove_leftovers
from autourdf_ros.files.numbered_folder import robot_of
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.goal_server import GoalServer
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.managed.managed_node import ManagedNode
from autourdf_ros.ros.reconstruction.reconstruction_process import (
    Outcome,
    ReadyEngine,
    ReconstructionProcess,
    Work,
)

_PAUSE = 10.0  # s after a reconstruction until a process gets ready for the next
_NO_RECORDING = "no recording: none has completed, and parameter recording is empty"


class ReconstructionNode(ManagedNode):
    """The `reconstruction` node. Raises InputError when a parameter cannot be used.

    A recording that completes during a reconstruction, or while the node is inactive, waits; only
    the newest waits. The path of every result is published, latched, on `~/completed`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("reconstruction", **options)

    def configure(self) -> None:
        """Check all parameters, and hear of recordings; nothing is reconstructed."""
        parameters = Parameters(self)
        recording = parameters.text(
            "recording",
            "",
            "recording that ~/start reconstructs; empty: the newest completed capture",
        )
        captured = parameters.text(
            "capture_topic", "/capture/completed", "topic of the paths of completed recordings"
        )
        begun = parameters.text(
            "begun_topic", "/capture/begun", "topic of the paths of recordings that begin"
        )
        self._autostart = parameters.flag(
            "autostart", True, "whether a completed capture is reconstructed at once"
        )
        self._keeps_ready = parameters.flag(
            "keep_ready",
            False,
            "whether a process begins with a recording while it is being made: 0.5 GB more",
        )
        self._output = Path(
            parameters.text("output", "results", "folder in which results are written")
        ).expanduser()
        remove_leftovers(self._output)
        self._options = _declare_options(parameters)
        self._named = any(option.startswith("--name=") for option in self._options)
        self._newest = Path(recording).expanduser() if recording else None
        self._fixed_input = bool(recording)
        self._waiting: Path | None = None
        self._process: ReconstructionProcess | None = None
        self._ready: ReadyEngine | None = None
        self._ready_due = 0.0
        self._followed: Path | None = None
        self._outcome: Outcome | None = None
        self._completed = self.create_publisher(String, "~/completed", LATCHED)
        self._diagnostics = Diagnostics(self, self.get_parameter("name").value)
        self.create_subscription(String, captured, self._on_captured, LATCHED)
        self.create_subscription(String, begun, self._on_begun, LATCHED)
        self.create_service(Trigger, "~/start", self.armed(self._on_start))
        self.create_service(Trigger, "~/cancel", self._on_cancel)
        self._goals = GoalServer(
            self, Reconstruct, "~/reconstruct", self._begin_goal, self._cancel, self._busy
        )
        self.at_cleanup(self._release_work)
        self.create_timer(0.1, self._on_poll)
        self.create_timer(0.5, self._publish_diagnostics)

    def arm(self) -> None:
        """Begin with the recording that waits."""
        self._ready_due = time.monotonic()
        self._begin_waiting()

    def disarm(self) -> None:
        """End the process that is ready."""
        if self._ready is not None:
            self._ready.end()
            self._ready = None

    def halt(self, reason: str) -> bool:
        """End the running reconstruction and its goal."""
        self._cancel(reason)
        return self._process is None and not self._goals.working

    def _release_work(self) -> None:
        """Withdraw the action; nothing is left half-written, even where `halt` was not called."""
        self._goals.destroy()
        self.disarm()
        if self._process is not None:
            self._process.end()

    def _on_begun(self, message: String) -> None:
        self._followed = Path(message.data)
        self._follow()

    def _follow(self) -> None:
        """Begin with the recording that is being made, if a completed one is reconstructed."""
        if self._ready is not None and self._followed is not None and self._autostart:
            self._ready.follow(self._work(self._followed))

    def _on_captured(self, message: String) -> None:
        path = Path(message.data)
        if not self._fixed_input:
            self._newest = path
        if not self._autostart:
            return
        if self.refusal or self._process is not None:
            self._waiting = path
            self.get_logger().info(f"{path} waits: {self.refusal or self._busy()}")
        else:
            self._start(path)

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        began, response.message = self._begin(self._newest)
        response.success = began
        return response

    def _on_cancel(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._process is not None
        response.message = "cancelling" if response.success else "nothing to cancel"
        self._cancel("~/cancel was called")
        return response

    def _begin_goal(
        self, goal: Reconstruct.Goal, _: Callable[[], bool]
    ) -> Reconstruct.Result | None:
        given = Path(goal.recording).expanduser() if goal.recording else self._newest
        began, message = self._begin(given)
        return None if began else Reconstruct.Result(message=message, reasons=[message])

    def _begin(self, recording: Path | None) -> tuple[bool, str]:
        """Begin with a recording; return whether that was possible, and a sentence."""
        if recording is None or self._busy():
            return False, self._busy() or _NO_RECORDING
        self._start(recording)
        return True, f"reconstructing {recording}"

    def _busy(self) -> str:
        return "" if self._process is None else f"already reconstructing {self._process.recording}"

    def _cancel(self, _: str) -> None:
        """End what runs and what waits; whatever the reason, the outcome is `cancelled`."""
        self._waiting = None
        if self._process is not None:
            self._process.cancel()

    def _start(self, recording: Path) -> None:
        self._outcome, self._followed = None, None
        work = self._work(recording)
        self.get_logger().info(f"reconstructing {work.recording} to {work.out}")
        ready, self._ready = self._ready, None
        self._process = ReconstructionProcess(work, ready)
        self._publish_diagnostics()

    def _work(self, recording: Path) -> Work:
        recording = recording.absolute()  # a name that begins with - is no option
        # A numbered recording is called after its robot.
        named = [] if self._named else [f"--name={robot_of(recording.resolve())}"]
        out = self._output / recording.resolve().stem
        return Work(recording, out, (*self._options, *named))

    def _on_poll(self) -> None:
        if self._process is None:
            self._keep_ready()
            return
        self._goals.report(_feedback(self._process))
        outcome = self._process.poll()
        if outcome is None:
            return
        recording, self._process, self._outcome = self._process.recording, None, outcome
        if outcome.result is None:
            self.get_logger().error(f"{recording}: {outcome.error}")
        else:
            self.get_logger().info(f"{recording}: {outcome.verdict} model in {outcome.result}")
            self._completed.publish(String(data=str(outcome.result)))
        self._goals.conclude(_result(outcome))
        self._publish_diagnostics()
        # Whoever waits for the result comes first.
        self._ready_due = time.monotonic() + _PAUSE
        if not self.refusal:
            self._begin_waiting()

    def _keep_ready(self) -> None:
        due = self._keeps_ready and self._ready is None and time.monotonic() > self._ready_due
        if due and not self.refusal:
            self._ready = ReadyEngine()
            self._follow()

    def _begin_waiting(self) -> None:
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._start(waiting)

    def _publish_diagnostics(self) -> None:
        level, message = DiagnosticStatus.OK, "waiting for a recording"
        values: dict[str, object] = {"output": self._output}
        if self._process is not None:
            message = self._process.stage
            values["recording"] = self._process.recording
            values["progress"] = f"{self._process.fraction:.2f}"
        elif self._outcome is not None:
            values |= {"result": self._outcome.result or "", "verdict": self._outcome.verdict}
            message = self._outcome.error or f"completed: the model is {self._outcome.verdict}"
            if self._outcome.verdict != "trusted":
                level = DiagnosticStatus.WARN
            if self._outcome.error and not self._outcome.cancelled:
                level = DiagnosticStatus.ERROR
        if self._waiting is not None:
            values["waiting"] = self._waiting
        self._diagnostics.publish(self.get_name(), level, message, values)


def _feedback(process: ReconstructionProcess) -> Reconstruct.Feedback:
    """Return the progress; whole seconds, so that not every poll is news."""
    to_go = float(round(process.seconds_to_go))
    return Reconstruct.Feedback(stage=process.stage, progress=process.fraction, seconds_to_go=to_go)


def _result(outcome: Outcome) -> Reconstruct.Result:
    done = outcome.result is not None
    return Reconstruct.Result(
        success=done,
        message=outcome.error or f"the model is {outcome.verdict}",
        verdict=outcome.verdict,
        reasons=list(outcome.reasons) if done else [outcome.error],
        result=str(outcome.result) if done else "",
    )


def _declare_options(parameters: Parameters) -> list[str]:
    """Declare the options of `autourdf reconstruct` and return its arguments."""
    readings = parameters.flag(
        "use_readings", True, "whether joint readings name and orient the joints"
    )
    links = parameters.integer(
        "links", 0, "number of rigid bodies with the fixed one; 0: found from the data", 0, 100
    )
    if links == 1:
        raise InputError("reconstruction: parameter links is 1; accepted is 0, or 2 to 100")
    points = parameters.integer(
        "points", 5000, "largest number of points of a frame in use", 500, 100_000
    )
    limits = parameters.text(
        "limits", "", "YAML file of joint limits, as that of the capture; empty: as observed"
    )
    if limits and not readings:
        raise InputError(
            f"reconstruction: parameter limits is {limits!r} and use_readings is false; accepted "
            "is use_readings: true, as without readings no joint bears its motor's name"
        )
    if limits:
        read_given_limits(Path(limits).expanduser())
    name = parameters.text(
        "name", "", "name of the robot in its URDF; empty: that of the recording"
    )
    options = [f"--points={points}"]
    options += [] if readings else ["--no-readings"]
    options += [f"--links={links}"] if links else []
    options += [f"--limits={Path(limits).expanduser()}"] if limits else []
    return options + ([f"--name={name}"] if name else [])


def main() -> int:
    """Run the node; return 2 when a parameter cannot be used."""
    return run_node(ReconstructionNode, "reconstruction")


if __name__ == "__main__":
    sys.exit(main())
