"""Swings a cart-pole up and holds it, with an identified model, by commands of force."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from autourdf_ros.commanding.predictive.guarded_swing_up import GuardedSwingUp
from autourdf_ros.commanding.predictive.modelled_cart_pole import cart_pole_of_model
from autourdf_ros.commanding.watching.reading_watch import OF_FORCES, ReadingWatch
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.ros.common.conversions import seconds
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.swing_up.swing_up_parameters import declare_parameters

_UPRIGHT = 0.2  # rad from upright that count as up
_CHECKS = 0.02  # s between two looks at what is silent or gone


class SwingUpNode(Node):
    """Commands a force for every reading that begins a control period, from `~/start` on.

    After a stop it commands 0 once, and nothing until `~/start` is called again. Raises InputError
    when a parameter or the model cannot be used.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("swing_up", **options)
        self._given = given = declare_parameters(self)
        self._motion = cart_pole_of_model(read_self_model(given.model))
        self._run: GuardedSwingUp | None = None
        self._problem, self._angle, self._newest = "", np.nan, -np.inf
        self._watch = ReadingWatch([given.rail, given.hinge], given.timeout, OF_FORCES, 0.0)
        self._commands = self.create_publisher(Float64MultiArray, given.command_topic, 1)
        self._diagnostics = Diagnostics(self)
        self.create_subscription(JointState, given.joint_states_topic, self._on_state, 1)
        self.create_service(Trigger, "~/start", self._on_start)
        self.create_service(Trigger, "~/stop", self._on_stop)
        self.create_timer(_CHECKS, self._on_timer)
        self.create_timer(0.5, self._report)
        # What numba compiles on first use must not delay a cart that moves.
        self._new().force(0.0, np.array([self._middle, np.pi, 0.0, 0.0]))

    def close(self) -> None:
        """Command no force, where it commanded one."""
        self._stop("the node ends")

    @property
    def _middle(self) -> float:
        return (self._given.limits.lower + self._given.limits.upper) / 2

    def _new(self) -> GuardedSwingUp:
        return GuardedSwingUp(self._motion, self._given.limits, seed=self._given.seed)

    def _on_start(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        reason = self._forbidden()
        if not reason:
            self._run, self._problem = self._new(), ""
        answer.success, answer.message = not reason, reason or "it begins with the next reading"
        return answer

    def _on_stop(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        answer.success = self._run is not None
        answer.message = "stopped" if self._run is not None else "nothing moves"
        self._stop("stopped by ~/stop")
        return answer

    def _forbidden(self) -> str:
        """Why nothing may move now, or nothing."""
        if not self._given.allow_motion:
            return "allow_motion is false"
        if self._run is not None:
            return "it is running"
        if self._watch.unknown:
            names = ", ".join(self._watch.unknown)
            return f"how often {names} is read is still being measured"
        return self._gone()

    def _gone(self) -> str:
        """What is missing for control, or one commander too many."""
        silent = self._watch.silent(time.monotonic())
        if silent:
            return f"{silent[0].joint} is not read for {silent[0].age:.2f} s"
        topic = self._given.command_topic
        if not self.count_subscribers(topic):
            return f"no controller subscribes to {topic}"
        if self.count_publishers(topic) > 1:
            return f"somebody else may command the cart by {topic}"
        if self.count_publishers(self._given.joint_states_topic) > 1:
            return f"{self._given.joint_states_topic} has more than one publisher"
        return ""

    def _on_state(self, message: JointState) -> None:
        given = self._given
        places = {name: place for place, name in enumerate(message.name)}
        whole = len(places) <= min(len(message.position), len(message.velocity))
        if not whole or not {given.rail, given.hinge} <= places.keys():
            return  # counts as silence
        stamp = seconds(message.header.stamp)
        if stamp > self._newest:  # else it is frozen, which counts as silence, too
            self._watch.add([given.rail, given.hinge], time.monotonic())
            self._newest = stamp
        rail, hinge = places[given.rail], places[given.hinge]
        state = np.array(
            [
                message.position[rail],
                given.sign * (message.position[hinge] - given.upright),
                message.velocity[rail],
                given.sign * message.velocity[hinge],
            ]
        )
        self._angle = (state[1] + np.pi) % (2 * np.pi) - np.pi
        run = self._run
        if run is None or not run.is_due(stamp):
            return
        force = run.force(stamp, state)
        if run.problem:
            self._stop(run.problem)
        else:
            self._commands.publish(Float64MultiArray(data=[force]))

    def _on_timer(self) -> None:
        if self._run is not None and (gone := self._gone()):
            self._stop(gone)

    def _stop(self, reason: str) -> None:
        if self._run is None:
            return
        self._run, self._problem = None, reason
        self._commands.publish(Float64MultiArray(data=[0.0]))
        self.get_logger().warning(f"no force any more: {reason}")

    def _report(self) -> None:
        level, message = DiagnosticStatus.OK, "waiting for ~/start"
        if self._run is not None:
            message = "holding" if abs(self._angle) < _UPRIGHT else "swinging up"
        elif self._problem:
            level, message = DiagnosticStatus.ERROR, f"stopped: {self._problem}"
        elif not self._given.allow_motion:
            message = "allow_motion is false: nothing moves"
        self._diagnostics.publish(
            self.get_name(), level, message, {"angle": f"{np.degrees(self._angle):.1f}"}
        )


def main() -> int:
    """Run the node; return 2 when a parameter or the model cannot be used."""
    return run_node(SwingUpNode, "swing_up")


if __name__ == "__main__":
    sys.exit(main())
