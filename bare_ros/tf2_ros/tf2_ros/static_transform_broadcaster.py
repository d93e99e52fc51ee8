"""Broadcasts transforms that do not change."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from tf2_ros.transform_broadcaster import as_list


class StaticTransformBroadcaster:
    """Publishes on `/tf_static`, latched; every message holds all transforms sent so far.

    As in the real one a child frame keeps the transform that it was first sent with.
    """

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        """Create it; qos is a profile or a depth, by default transient local with depth 1."""
        if qos is None:
            qos = QoSProfile(
                depth=1,
                durability=DurabilityPolicy.TRANSIENT_LOCAL,
                history=HistoryPolicy.KEEP_LAST,
            )
        self.pub_tf = node.create_publisher(TFMessage, "/tf_static", qos)
        self.net_message = TFMessage()
        self._child_frame_ids: set[str] = set()

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Send one transform or several, with all that were sent before."""
        for stamped in as_list(transform):
            if stamped.child_frame_id not in self._child_frame_ids:
                self._child_frame_ids.add(stamped.child_frame_id)
                self.net_message.transforms.append(stamped)
        self.pub_tf.publish(self.net_message)
