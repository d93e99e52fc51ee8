"""Broadcasts transforms that change."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage


class TransformBroadcaster:
    """Publishes on `/tf`."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        """Create the publisher; qos is a profile or a depth, by default 100."""
        self.pub_tf = node.create_publisher(
            TFMessage, "/tf", QoSProfile(depth=100) if qos is None else qos
        )

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Send one transform, or several in one message."""
        self.pub_tf.publish(TFMessage(transforms=as_list(transform)))


def as_list(transform: TransformStamped | Iterable[TransformStamped]) -> list[TransformStamped]:
    """Return one transform or several as a list."""
    return [transform] if isinstance(transform, TransformStamped) else list(transform)
