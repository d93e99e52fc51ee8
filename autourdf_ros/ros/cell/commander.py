"""Sends trajectories to the controller: by a topic, an action, or a stream of positions."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from autourdf_ros.commanding.controller_answer import UNREPORTED, Answer
from autourdf_ros.commanding.trajectory import Trajectory
from autourdf_ros.ros.cell.follow_commander import FollowJointTrajectoryCommander
from autourdf_ros.ros.common.conversions import trajectory_message

INTERFACES = {
    "joint_trajectory": "/joint_trajectory_controller/joint_trajectory",
    "forward_position": "/forward_position_controller/commands",
    "follow_joint_trajectory": "/joint_trajectory_controller/follow_joint_trajectory",
}


class Commander(Protocol):
    """Sends trajectories.

    Attributes:
        duty: what a controller does that receives them, such as "subscribes to /topic".
    """

    duty: str

    def send(self, trajectory: Trajectory) -> None:
        """Let the robot follow a trajectory from now on, in place of any other."""

    def connected(self) -> bool:
        """Return whether a controller receives commands."""

    def answer(self) -> Answer:
        """Return the controller's report about the trajectory sent last."""


def create_commander(node: Node, interface: str, topic: str) -> Commander:
    """Return the commander for one of INTERFACES; an empty topic or action: its default."""
    topic = topic or INTERFACES[interface]
    if interface == "follow_joint_trajectory":
        return FollowJointTrajectoryCommander(node, topic)
    if interface == "forward_position":
        return ForwardPositionCommander(node, topic)
    return JointTrajectoryCommander(node, topic)


class JointTrajectoryCommander:
    """Publishes whole trajectories, as joint_trajectory_controller takes them."""

    def __init__(self, node: Node, topic: str) -> None:
        self._publisher = node.create_publisher(JointTrajectory, topic, 10)
        self.duty = f"subscribes to {self._publisher.topic_name}"

    def send(self, trajectory: Trajectory) -> None:
        """Publish the trajectory; a new one replaces the one that is executed."""
        self._publisher.publish(trajectory_message(trajectory))

    def connected(self) -> bool:
        """Return whether a controller subscribes."""
        return self._publisher.get_subscription_count() > 0

    def answer(self) -> Answer:
        """Return that nothing is reported: a topic has no answer."""
        return UNREPORTED


class ForwardPositionCommander:
    """Streams positions in the order of the limits, as forward_position_controller takes them."""

    RATE = 100.0

    def __init__(self, node: Node, topic: str) -> None:
        self._publisher = node.create_publisher(Float64MultiArray, topic, 10)
        self.duty = f"subscribes to {self._publisher.topic_name}"
        self._lock = threading.Lock()
        self._trajectory: Trajectory | None = None
        self._elapsed = 0.0
        self._last = 0.0
        node.create_timer(1.0 / self.RATE, self._stream)

    def send(self, trajectory: Trajectory) -> None:
        """Stream the trajectory from its start."""
        with self._lock:
            self._trajectory, self._elapsed = trajectory, 0.0
            self._last = time.monotonic()

    def connected(self) -> bool:
        """Return whether a controller subscribes."""
        return self._publisher.get_subscription_count() > 0

    def answer(self) -> Answer:
        """Return that nothing is reported: a topic has no answer."""
        return UNREPORTED

    def _stream(self) -> None:
        with self._lock:
            if self._trajectory is None:
                return
            now = time.monotonic()
            # After a hiccup the trajectory is late rather than a step larger than its limits allow.
            self._elapsed += min(now - self._last, 2.0 / self.RATE)
            self._last = now
            positions = self._trajectory.at(self._elapsed)
            if self._elapsed >= self._trajectory.duration:
                self._trajectory = None
        self._publisher.publish(Float64MultiArray(data=positions.tolist()))
