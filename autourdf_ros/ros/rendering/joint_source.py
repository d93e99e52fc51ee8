"""The joints' values at any recent time, by the joint states of the real motors."""

from __future__ import annotations

import time

from rclpy.node import Node
from sensor_msgs.msg import JointState

from autourdf_ros.commanding.watching.reading_watch import ReadingWatch
from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.model.urdf.joint_readings import JointReadings
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.ros.common.conversions import clock_time, joint_positions, seconds
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription
from autourdf_ros.ros.rendering.unknown_error import UnknownError

_MOST_NAMED = 10  # names of joints in a message


class JointSource:
    """Joint states, matched with the motors of a model and interpolated.

    Attributes:
        subscription: To the joint states.
    """

    def __init__(
        self, node: Node, model: LiveModel, topic: str, longest_gap: float, stale_after: float
    ) -> None:
        """Create it.

        Args:
            node: The owner.
            model: Whose motors move.
            topic: Of the joint states.
            longest_gap: Between two of them that is interpolated (s).
            stale_after: Silence of a motor that makes its position unknown (s).
        """
        self._node, self._model, self._longest = node, model, longest_gap
        self._motors = tuple(drive.motor for drive in model.drives)
        self._history = JointHistory(self._motors)
        self._watch = ReadingWatch(self._motors, stale_after)
        self._heard = JointReadings()
        self.subscription = MatchedSubscription(node, JointState, topic, self._receive, depth=200)

    def values(self, stamp: float) -> dict[str, float]:
        """Return the values of the joints at a time (s). Raise UnknownError."""
        problem = self.problem()
        if problem:
            raise UnknownError(problem, for_now=False)
        newest = self._history.latest
        found = self._history.at(stamp)
        topic = self.subscription.topic
        if found is None or newest is None:
            behind = stamp - newest[0] if newest else 0.0
            if behind > 0:
                raise UnknownError(
                    f"the newest joint state on {topic} is {behind:.2f} s before the image",
                    for_now=True,
                )
            raise UnknownError(
                f"{topic} begins {-behind:.2f} s after the image, or its clock differs",
                for_now=False,
            )
        positions, _, gap = found
        if gap > self._longest:
            raise UnknownError(
                f"{topic} is silent for {gap:.2f} s around the image; accepted are "
                f"{self._longest:g} s (longest_gap)",
                for_now=False,
            )
        readings = dict(zip(self._motors, positions.tolist(), strict=True))
        return self._model.joint_values(readings)

    def problem(self) -> str:
        """Return why positions are not known now, in a few words; empty where they are."""
        if not self._motors:
            return ""
        silent = self._watch.silent(time.monotonic())
        if not silent:
            return ""
        if self.subscription.age >= silent[-1].age:
            return self.subscription.problem()
        names = ", ".join(sorted(one.joint for one in silent)[:_MOST_NAMED])
        problem = f"{self.subscription.topic} has no {names}"
        others = sorted(self._heard.unknown(self._model))[:_MOST_NAMED]
        return f"{problem}; it has {', '.join(others)}" if others else problem

    def _receive(self, message: JointState) -> None:
        arrival = time.monotonic()
        positions = joint_positions(message)
        self._heard.hear(positions, arrival)
        one = JointReadings()
        one.hear(positions, arrival)
        by_motor = one.by_motor(self._model)
        self._watch.add(by_motor, arrival)
        stamp = seconds(message.header.stamp) or clock_time(self._node)
        self._history.add(stamp, by_motor)
