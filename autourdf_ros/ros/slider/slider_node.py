"""Joint states without a robot: values from parameters, or a slow sweep through all ranges."""

from __future__ import annotations

import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.sliders import Slider, read_sliders
from autourdf_ros.ros.common.conversions import joint_state, seconds
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node

SETTLING = 2.0
"""Time before the first joint state (s), in which DDS discovers other publishers."""


class SliderNode(Node):
    """The `sliders` node. Raises InputError when a parameter cannot be used.

    It commands nothing. Each joint of the received `robot_description` becomes a parameter
    `joints.NAME` (rad or m) with the joint's range, which rqt_reconfigure shows as a slider. As
    soon as another node publishes joint states on its topic, it becomes silent for good, since
    invented joint states must never mix with those of a robot.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("sliders", **options)
        parameters = Parameters(self)
        description = parameters.text(
            "description_topic", "robot_description", "topic of the description with the joints"
        )
        joint_states = parameters.text(
            "joint_states_topic", "joint_states", "topic on which no other node may publish"
        )
        rate = parameters.number(
            "publish_frequency", 30.0, "rate of the joint states (Hz)", 0.1, 1000.0
        )
        self._sweep = parameters.flag(
            "sweep", False, "whether every joint in turn moves through its range"
        )
        self._sweep_time = parameters.number(
            "sweep_time", 8.0, "time of one joint through its range and back (s)", 0.1, 3600.0
        )
        self._sliders: dict[str, Slider] = {}
        self._problem = ""
        self._stopped = False
        self._begin = time.monotonic() + SETTLING
        self._joint_states = self.create_publisher(JointState, joint_states, 10)
        self._diagnostics = Diagnostics(self)
        self.create_subscription(String, description, self._on_description, LATCHED)
        self.create_timer(1.0 / rate, self._publish)
        self.create_timer(1.0, self._publish_diagnostics)

    def _on_description(self, message: String) -> None:
        try:
            sliders = {slider.joint: slider for slider in read_sliders(message.data)}
        except InputError as error:
            self._problem = str(error)
            self.get_logger().error(self._problem)
            return
        self._problem = ""
        values = self._values()
        for name in self._sliders:
            self.undeclare_parameter(f"joints.{name}")
        for name, slider in sliders.items():
            self._declare(slider, values.get(name))
        self._sliders = sliders
        self._begin = max(self._begin, time.monotonic())

    def _declare(self, slider: Slider, value: float | None) -> None:
        """Declare a joint; value is that from an earlier description, or None."""
        descriptor = ParameterDescriptor(
            description=f"value of joint {slider.joint} (rad or m)",
            floating_point_range=[
                FloatingPointRange(from_value=slider.lower, to_value=slider.upper)
            ],
        )
        name, default = f"joints.{slider.joint}", slider.clipped(value or 0.0)
        try:
            self.declare_parameter(name, default, descriptor, ignore_override=value is not None)
        except ParameterException as error:
            self._problem = f"parameter {name}: {error}"
            self.get_logger().error(self._problem)
            self.declare_parameter(name, default, descriptor, ignore_override=True)

    def _values(self) -> dict[str, float]:
        return {name: float(self.get_parameter(f"joints.{name}").value) for name in self._sliders}

    def _publish(self) -> None:
        self._stopped = self._stopped or self._others()
        elapsed = time.monotonic() - self._begin
        if self._stopped or elapsed < 0 or not self._sliders:
            return
        values = self._values()
        if self._sweep:
            turn, phase = divmod(elapsed / self._sweep_time, 1.0)
            slider = list(self._sliders.values())[int(turn) % len(self._sliders)]
            values[slider.joint] = slider.swept(values[slider.joint], phase)
        stamp = seconds(self.get_clock().now().to_msg())
        self._joint_states.publish(joint_state(values, stamp))

    def _others(self) -> bool:
        return bool(self.count_publishers(self._joint_states.topic_name) > 1)

    def _publish_diagnostics(self) -> None:
        level, message = DiagnosticStatus.OK, "sweeping" if self._sweep else "set by parameters"
        if not self._sliders:
            level, message = DiagnosticStatus.WARN, "no robot_description with joints yet"
        if self._problem:
            level, message = DiagnosticStatus.ERROR, self._problem
        if self._stopped:
            level = DiagnosticStatus.ERROR
            message = (
                f"others publish on {self._joint_states.topic_name}: silent, so as not to mix with "
                "a robot's joint states; run again without them"
            )
        values = {"joints": ", ".join(self._sliders)}
        self._diagnostics.publish(self.get_name(), level, message, values)


def main() -> int:
    """Run the node; return 2 when a parameter cannot be used."""
    return run_node(SliderNode, "sliders")


if __name__ == "__main__":
    sys.exit(main())
