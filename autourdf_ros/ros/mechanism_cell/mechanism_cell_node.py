"""A simulated mechanism that efforts drive, with the topics of a real one."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.conversions import clock_time, joint_state
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.simulation.live.live_mechanism import EffortDrives, LiveMechanism

_PATIENCE = 2.0  # s, for which the simulation waits for the next command


class MechanismCellNode(Node):
    """Steps a mechanism's MJCF, exerts the efforts that are commanded, publishes joint states.

    Raises InputError for a parameter or file that cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("mechanism_cell", **options)
        declare = Parameters(self)
        mjcf = declare.text("mjcf", "", "MJCF file of the mechanism; required")
        driven = declare.texts("driven", ["rail"], "joints with a drive, in a command's order")
        effort = declare.number("effort", 10.0, "greatest effort of a drive (N, N m)", 1e-6, 1e6)
        timeout = declare.number("timeout", 0.2, "time after which a command ends (s)", 1e-3, 60.0)
        noise = declare.number("noise", 0.0, "standard deviation of positions (m, rad)", 0.0, 1.0)
        joints = declare.texts("start_joints", ["hinge"], "joints that start elsewhere than at 0")
        start = declare.numbers("start", "where these joints start (m, rad)")
        seed = declare.integer("seed", 0, "seed of the noise", 0, 2**31 - 1)
        rate = declare.number("rate", 100.0, "joint states a second", 1.0, 1000.0)
        self._awaited = declare.number(
            "step_per_command",
            0.0,
            "time (s) by which every command moves the simulation on, which then waits for the "
            "next one; without commands, and with 0, it runs with the clock",
            0.0,
            1.0,
        )
        if len(start) not in (0, len(joints)):
            raise InputError(
                f"mechanism_cell: start has {len(start)} numbers; accepted is one for each of "
                f"start_joints: {', '.join(joints)}"
            )
        if not Path(mjcf).expanduser().is_file():
            raise InputError(f"mechanism_cell: mjcf: {mjcf!r} is no file; accepted is an MJCF")
        self._mechanism = LiveMechanism(
            Path(mjcf).expanduser(),
            EffortDrives(tuple(driven), effort, timeout, noise),
            dict(zip(joints, start, strict=False)),
            seed,
        )
        self._epoch, self._then, self._commanded = clock_time(self), time.monotonic(), -math.inf
        self._refusal = ""
        self._joint_states = self.create_publisher(JointState, "/joint_states", 10)
        self._diagnostics = Diagnostics(self)
        self.create_subscription(
            Float64MultiArray, "/effort_controller/commands", self._on_command, 10
        )
        self.create_timer(1.0 / rate, self._on_timer)
        self.create_timer(1.0, self._report)

    def _on_command(self, message: Float64MultiArray) -> None:
        self._run()
        try:
            self._mechanism.command(message.data)
        except InputError as error:
            self._refusal = str(error)
            self.get_logger().warning(self._refusal)
            return
        self._refusal = ""
        if self._awaited:
            self._commanded = time.monotonic()
            self._mechanism.advance(self._awaited)
            self._publish()

    def _on_timer(self) -> None:
        if self._run():
            self._publish()

    def _run(self) -> bool:
        """Simulate until now; return whether the simulation does not wait for a command."""
        now = time.monotonic()
        waits = now < self._commanded + _PATIENCE
        if not waits:
            self._mechanism.advance(now - self._then)
        self._then = now
        return not waits

    def _publish(self) -> None:
        positions, velocities = self._mechanism.readings()
        efforts = {name: self._mechanism.efforts.get(name, 0.0) for name in positions}
        stamp = self._epoch + self._mechanism.time
        self._joint_states.publish(joint_state(positions, stamp, velocities, efforts))

    def _report(self) -> None:
        level = DiagnosticStatus.WARN if self._refusal else DiagnosticStatus.OK
        efforts = ", ".join(f"{value:.3g}" for value in self._mechanism.efforts.values())
        self._diagnostics.publish(
            self.get_name(), level, self._refusal or "simulating", {"efforts": efforts}
        )


def main() -> int:
    """Run the node; return 2 when a parameter cannot be used."""
    return run_node(MechanismCellNode, "mechanism_cell")


if __name__ == "__main__":
    sys.exit(main())
