"""Reconstructs the robot when a capture completes, or on `~/start`, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from autourdf_ros.errors import InputError
from autourdf_ros.export.given_limits import read_given_limits
from autourdf_ros.files.atomic_folder import remove_leftovers
from autourdf_ros.files.numbered_folder import robot_of
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.reconstruction.reconstruction_process import Outcome, ReconstructionProcess


class ReconstructionNode(Node):
    """The `reconstruction` node. Raises InputError when a parameter cannot be used.

    A recording that completes during a reconstruction waits; only the newest waits. The path of
    every result is published, latched, on `~/completed`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("reconstruction", **options)
        parameters = Parameters(self)
        recording = parameters.text(
            "recording",
            "",
            "recording that ~/start reconstructs; empty: the newest completed capture",
        )
        captured = parameters.text(
            "capture_topic", "/capture/completed", "topic of the paths of completed recordings"
        )
        self._autostart = parameters.flag(
            "autostart", True, "whether a completed capture is reconstructed at once"
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
        self._outcome: Outcome | None = None
        self._completed = self.create_publisher(String, "~/completed", LATCHED)
        self._diagnostics = Diagnostics(self, self.get_parameter("name").value)
        self.create_subscription(String, captured, self._on_captured, LATCHED)
        self.create_service(Trigger, "~/start", self._on_start)
        self.create_service(Trigger, "~/cancel", self._on_cancel)
        self.create_timer(0.1, self._on_poll)
        self.create_timer(0.5, self._publish_diagnostics)

    def close(self) -> None:
        """End the running reconstruction; it leaves nothing half-written."""
        if self._process is not None:
            self._process.end()

    def _on_captured(self, message: String) -> None:
        path = Path(message.data)
        if not self._fixed_input:
            self._newest = path
        if not self._autostart:
            return
        if self._process is not None:
            self._waiting = path
            self.get_logger().info(f"{path} waits until {self._process.recording} is done")
        else:
            self._start(path)

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._process is not None:
            response.message = f"already reconstructing {self._process.recording}"
        elif self._newest is None:
            response.message = "no recording: none has completed, and parameter recording is empty"
        else:
            self._start(self._newest)
            response.success, response.message = True, f"reconstructing {self._newest}"
        return response

    def _on_cancel(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self._process is not None
        response.message = "cancelling" if response.success else "nothing to cancel"
        if self._process is not None:
            self._waiting = None
            self._process.cancel()
        return response

    def _start(self, recording: Path) -> None:
        self._outcome = None
        out = self._output / recording.resolve().stem
        self.get_logger().info(f"reconstructing {recording} to {out}")
        # A numbered recording is called after its robot.
        named = [] if self._named else [f"--name={robot_of(recording.resolve())}"]
        self._process = ReconstructionProcess(recording, out, [*self._options, *named])
        self._publish_diagnostics()

    def _on_poll(self) -> None:
        outcome = self._process.poll() if self._process is not None else None
        if self._process is None or outcome is None:
            return
        recording, self._process, self._outcome = self._process.recording, None, outcome
        if outcome.result is None:
            self.get_logger().error(f"{recording}: {outcome.error}")
        else:
            self.get_logger().info(f"{recording}: {outcome.verdict} model in {outcome.result}")
            self._completed.publish(String(data=str(outcome.result)))
        self._publish_diagnostics()
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
