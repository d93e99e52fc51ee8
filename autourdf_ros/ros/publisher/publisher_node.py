"""Broadcasts the newest model: descriptions, markers, and transforms from joint states."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.joint_readings import JointReadings
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.ros.common.conversions import joint_positions
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.managed.managed_node import ManagedNode
from autourdf_ros.ros.publisher.model_topics import ModelTopics, drawn
from autourdf_ros.ros.publisher.model_transforms import ModelTransforms
from autourdf_ros.ros.publisher.publisher_parameters import declare_settings

_HEARD = 0.5
"""Seconds of listening after which joint states that somebody publishes have come."""


class PublisherNode(ManagedNode):
    """The `publisher` node. Raises InputError when a parameter cannot be used.

    Joints without a joint state stand at the reference configuration. Transforms have the stamps of
    the joint states, so that they become stale when these do; before the first one the model is
    broadcast at the reference configuration. `~/load` publishes the folder of parameter `result`.
    Only while it is active are there publishers of the model.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("publisher", **options)

    def configure(self) -> None:
        """Check all parameters and the first result; nothing is broadcast."""
        self._settings = declare_settings(self)
        self._model: LiveModel | None = None
        self._problem = ""
        self._readings = JointReadings()
        self._markers = MarkerArray()
        self._topics: ModelTopics | None = None
        self._transforms: ModelTransforms | None = None
        self._diagnostics = Diagnostics(self)
        self._listening: float | None = None  # s, since when; None: not yet
        self.create_subscription(
            String, self._settings.completed_topic, self._on_completed, LATCHED
        )
        self.create_service(Trigger, "~/load", self.armed(self._on_load))
        self.create_timer(max(self._settings.period, 0.1), self._on_idle)
        self.create_timer(1.0, self._publish_diagnostics)
        at_start = self._settings.at_start()
        if at_start is not None:
            self._problem = self._show(at_start)

    def arm(self) -> None:
        """Broadcast the model, if there is one."""
        self._topics = ModelTopics(self, self._settings)
        if self._settings.publish_tf:
            self._transforms = ModelTransforms(self, self._settings)
        self._publish_model()

    def disarm(self) -> None:
        """Withdraw the model: latched topics would go on to describe it."""
        if self._topics is not None:
            self._topics.destroy()
        if self._transforms is not None:
            self._transforms.destroy()
        self._topics = self._transforms = None

    def _on_completed(self, message: String) -> None:
        try:
            self._problem = self._show(self._settings.folder(message.data))
        except InputError as error:
            self._problem = f"cannot publish: {error}"
            self.get_logger().error(self._problem)
        self._publish_diagnostics()

    def adjust(self, parameters: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Take another result for `~/load`, or refuse it."""
        try:
            for parameter in parameters:
                if parameter.name == "result":
                    self._settings.chosen(parameter.value)
        except InputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_load(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            folder = self._settings.chosen(self.get_parameter("result").value)
            response.message = self._show(folder)
        except InputError as error:
            response.message = str(error)
            return response
        response.success = not response.message
        if response.success:
            self._problem, response.message = "", f"publishing {folder}"
        self._publish_diagnostics()
        return response

    def _show(self, folder: Path) -> str:
        """Take a result, and publish it while active.

        Returns:
            Why its verdict forbids it, or an empty text.

        Raises:
            InputError: it is damaged; nothing is published.
        """
        model = LiveModel(folder)
        self._listen()
        if model.verdict == "failed" and not self._settings.publish_failed:
            problem = (
                f"{model.folder}: its verdict is failed, so it is not broadcast; "
                "publish_failed: true broadcasts it all the same"
            )
            self.get_logger().error(problem)
            return problem
        self._markers = drawn(model, self._settings)
        self._model = model
        self._publish_model()
        return ""

    def _listen(self) -> None:
        """Listen to joint states: not before there is a model, since each takes its time."""
        if self._listening is None:
            self._listening = time.monotonic()
            self.create_subscription(
                JointState, self._settings.joint_states_topic, self._on_joint_states, 10
            )

    def _publish_model(self) -> None:
        model = self._model
        if model is None or self._topics is None:
            return
        self._topics.show(model, self._markers)
        if self._transforms is not None:
            self._transforms.show(model)
        self.get_logger().info(f"publishing {model.name} of {model.folder} ({model.verdict})")

    def _on_joint_states(self, message: JointState) -> None:
        self._readings.hear(joint_positions(message), time.monotonic())
        if self._model is not None and self._transforms is not None:
            stamp = message.header.stamp
            stamped = stamp.sec or stamp.nanosec
            now = self.get_clock().now().to_msg()
            self._transforms.move(self._model, self._readings, stamp if stamped else now)

    def _on_idle(self) -> None:
        """Show the model at reference as long as no joint state moves it."""
        if self._model is None or self._transforms is None or self._readings.moves(self._model):
            return
        if self._listening is None or time.monotonic() < self._listening + _HEARD:
            return
        self._transforms.move(self._model, self._readings, self.get_clock().now().to_msg())

    def _publish_diagnostics(self) -> None:
        level, message = DiagnosticStatus.WARN, "no model yet"
        values: dict[str, object] = {}
        if self._model is not None:
            level, message, values = self._model_status(self._model)
        if self._problem:
            level, message = DiagnosticStatus.ERROR, self._problem
        self._diagnostics.publish(self.get_name(), level, message, values)

    def _model_status(self, model: LiveModel) -> tuple[bytes, str, dict[str, object]]:
        readings = self._readings
        lists = {
            "joints at reference, without a joint state": readings.silent(model),
            "joint states that the model does not know": readings.unknown(model),
            "joint states that are not finite": readings.invalid,
        }
        silence = time.monotonic() - readings.heard
        complaints = [what for what, names in lists.items() if names]
        if readings.moves(model) and silence > self._settings.stale_after:
            complaints.append("joint states are silent")
        if model.verdict != "trusted":
            complaints.append(f"the model is {model.verdict}")
        if self._topics is not None and self._topics.shared():
            complaints.append("others publish on the same robot_description")
        values: dict[str, object] = {"result": model.folder, "verdict": model.verdict}
        values |= {what: ", ".join(sorted(names)) for what, names in lists.items()}
        if complaints:
            return DiagnosticStatus.WARN, "; ".join(complaints), values
        return DiagnosticStatus.OK, "publishing", values


def main() -> int:
    """Run the node; return 2 when a parameter or the first result cannot be used."""
    return run_node(PublisherNode, "publisher")


if __name__ == "__main__":
    sys.exit(main())
