"""Broadcasts the newest reconstructed model: robot_description, and TF from joint states."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage

from autourdf_ros.description.live_model import LinkTransform, LiveModel
from autourdf_ros.errors import InputError
from autourdf_ros.nodes.conversions import diagnostic, joint_positions, transform_message
from autourdf_ros.nodes.parameters import Parameters
from autourdf_ros.nodes.run_node import run_node

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class PublisherNode(Node):
    """The `publisher` node. Raises InputError when a parameter cannot be used.

    Joints without a joint state stand at the reference configuration. TF moves with the stamps of
    the joint states, so that it goes stale when they do; before the first one the whole model is
    broadcast as it stood at reference.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("publisher", **options)
        parameters = Parameters(self)
        result = parameters.text("result", "", "result folder to publish at start; empty: none")
        completed = parameters.text(
            "completed_topic", "/reconstruction/completed", "where paths of new results arrive"
        )
        joint_states = parameters.text("joint_states_topic", "/joint_states", "of the real motors")
        self._prefix = parameters.text("frame_prefix", "", "put before every frame, e.g. self/")
        self._parent = parameters.text(
            "parent_frame", "", "frame in which the prefixed base_link stands still; empty: none"
        )
        self._mesh_prefix = parameters.text(
            "mesh_prefix", "", "put before mesh paths, e.g. package://arm; empty: file://FOLDER"
        )
        self._publish_tf = parameters.flag(
            "publish_tf", True, "false leaves TF to a robot_state_publisher"
        )
        self._publish_failed = parameters.flag(
            "publish_failed", False, "whether to broadcast a model whose verdict is failed"
        )
        rate = parameters.number("publish_frequency", 50.0, "of TF at most (Hz)", 0.1, 1000.0)
        self._stale_after = parameters.number(
            "stale_after", 1.0, "silence of the joint states that is reported (s)", 0.05, 3600.0
        )
        self._period = 1.0 / rate
        self._model: LiveModel | None = None
        self._problem = ""
        self._readings: dict[str, float] = {}
        self._invalid: set[str] = set()
        self._heard = -math.inf
        self._due = -math.inf
        self._description = self.create_publisher(String, "robot_description", _LATCHED)
        self._tf_static = self.create_publisher(TFMessage, "/tf_static", _LATCHED)
        self._tf = self.create_publisher(TFMessage, "/tf", QoSProfile(depth=100))
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_subscription(JointState, joint_states, self._on_joint_states, 10)
        self.create_subscription(String, completed, self._on_completed, _LATCHED)
        self.create_timer(max(self._period, 0.1), self._on_idle)
        self.create_timer(1.0, self._publish_diagnostics)
        if result:
            self._show(LiveModel(Path(result).expanduser()))

    def _on_completed(self, message: String) -> None:
        try:
            self._show(LiveModel(Path(message.data)))
        except InputError as error:
            self._problem = f"cannot publish: {error}"
            self.get_logger().error(self._problem)
        self._publish_diagnostics()

    def _show(self, model: LiveModel) -> None:
        self._problem = ""
        if model.verdict == "failed" and not self._publish_failed:
            self._problem = (
                f"{model.folder}: its verdict is failed, so it is not broadcast; "
                "publish_failed: true broadcasts it all the same"
            )
            self.get_logger().error(self._problem)
            return
        self._model = model
        self._description.publish(String(data=model.description(self._mesh_prefix)))
        self._publish_fixed(model)
        self.get_logger().info(f"publishing {model.name} of {model.folder} ({model.verdict})")

    def _publish_fixed(self, model: LiveModel) -> None:
        if not self._publish_tf:
            return
        stamp = self.get_clock().now().to_msg()
        transforms = [self._stamped(item, stamp) for item in model.fixed_transforms()]
        if self._parent:
            header = Header(stamp=stamp, frame_id=self._parent)
            root = TransformStamped(header=header, child_frame_id=self._prefix + model.root)
            transforms.append(root)
        self._tf_static.publish(TFMessage(transforms=transforms))

    def _on_joint_states(self, message: JointState) -> None:
        positions = joint_positions(message)
        finite = {name: value for name, value in positions.items() if math.isfinite(value)}
        self._invalid = (self._invalid | positions.keys()) - finite.keys()
        self._readings |= finite
        self._heard = time.monotonic()
        stamp = message.header.stamp
        stamped = stamp.sec or stamp.nanosec
        self._publish_moving(stamp if stamped else self.get_clock().now().to_msg())

    def _on_idle(self) -> None:
        """Before the first joint state that moves the model, show it at reference."""
        if self._model is not None and not self._moved(self._model):
            self._publish_moving(self.get_clock().now().to_msg())

    def _publish_moving(self, stamp: Time) -> None:
        if self._model is None or not self._publish_tf:
            return
        now = time.monotonic()
        if now < self._due:
            return
        # Counted from when it was due, or a source of nearly this rate would lose every other.
        self._due = max(self._due + self._period, now)
        values = self._model.joint_values(self._readings)
        transforms = [self._stamped(item, stamp) for item in self._model.moving_transforms(values)]
        self._tf.publish(TFMessage(transforms=transforms))

    def _stamped(self, item: LinkTransform, stamp: Time) -> TransformStamped:
        return TransformStamped(
            header=Header(stamp=stamp, frame_id=self._prefix + item.parent),
            child_frame_id=self._prefix + item.child,
            transform=transform_message(item.matrix),
        )

    def _moved(self, model: LiveModel) -> bool:
        return any(drive.motor in self._readings for drive in model.drives)

    def _publish_diagnostics(self) -> None:
        level, message, values = DiagnosticStatus.WARN, "no model yet", {}
        if self._model is not None:
            level, message, values = self._model_status(self._model)
        if self._problem:
            level, message = DiagnosticStatus.ERROR, self._problem
        status = diagnostic(self.get_name(), level, message, values)
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)

    def _model_status(self, model: LiveModel) -> tuple[bytes, str, dict[str, object]]:
        motors = {drive.motor for drive in model.drives}
        lists = {
            "joints at reference, without a joint state": motors - self._readings.keys(),
            "joint states that the model does not know": self._readings.keys() - motors,
            "joint states that are not finite": self._invalid,
        }
        silence = time.monotonic() - self._heard
        complaints = [what for what, names in lists.items() if names]
        if self._moved(model) and silence > self._stale_after:
            complaints.append("joint states are silent")
        if model.verdict != "trusted":
            complaints.append(f"the model is {model.verdict}")
        if self.count_publishers("robot_description") > 1:
            complaints.append("others publish on the same robot_description")
        values: dict[str, object] = {"result": model.folder, "verdict": model.verdict}
        values |= {what: ", ".join(sorted(names)) for what, names in lists.items()}
        if complaints:
            return DiagnosticStatus.WARN, "; ".join(complaints), values
        return DiagnosticStatus.OK, "publishing", values


def main() -> int:
    """Run the node; 2 when a parameter or the first result cannot be used."""
    return run_node(PublisherNode, "publisher")


if __name__ == "__main__":
    sys.exit(main())
