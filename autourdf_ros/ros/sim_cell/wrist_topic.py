"""The topic of the simulated wrist's force-torque sensor, and the transform of its frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped, Vector3, Wrench, WrenchStamped
from numpy.typing import NDArray
from rclpy.node import Node
from std_msgs.msg import Header
from tf2_ros import TransformBroadcaster

from autourdf_ros.ros.common.conversions import time_message, transform_message


@dataclass(frozen=True)
class WristFrame:
    """How the sensor is published.

    Attributes:
        topic: Of geometry_msgs/WrenchStamped.
        frame: Of the wrenches.
        transform: Whether its pose in the base's frame is broadcast on /tf.
    """

    topic: str
    frame: str
    transform: bool


class WristTopic:
    """Publishes the wrench of the load on the sensor, and where the sensor is."""

    def __init__(self, node: Node, wrist: WristFrame, base: str) -> None:
        """Create the publishers. `base` is the frame of the robot's root link."""
        self._wrist, self._base = wrist, base
        self._wrenches = node.create_publisher(WrenchStamped, wrist.topic, 10)
        self._broadcaster = TransformBroadcaster(node) if wrist.transform else None

    def publish(self, wrench: NDArray[np.float64], pose: NDArray[np.float64], stamp: float) -> None:
        """Publish a wrench (6,) in the sensor's frame, and its pose (4, 4), at a time (s)."""
        time = time_message(stamp)
        force, torque = (Vector3(**dict(zip("xyz", part, strict=True))) for part in _halves(wrench))
        self._wrenches.publish(
            WrenchStamped(
                header=Header(stamp=time, frame_id=self._wrist.frame),
                wrench=Wrench(force=force, torque=torque),
            )
        )
        if self._broadcaster is not None:
            moved = TransformStamped(
                header=Header(stamp=time, frame_id=self._base),
                child_frame_id=self._wrist.frame,
                transform=transform_message(pose),
            )
            self._broadcaster.sendTransform(moved)


def _halves(wrench: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    return wrench[:3].tolist(), wrench[3:].tolist()
