"""Receives transforms."""

from __future__ import annotations

from threading import Thread

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from tf2_ros.buffer import Buffer

_AUTHORITY = "default_authority"


class TransformListener:
    """Fills a buffer from `/tf` and `/tf_static`."""

    def __init__(
        self,
        buffer: Buffer,
        node: Node,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
        tf_topic: str = "/tf",
        tf_static_topic: str = "/tf_static",
    ) -> None:
        """Subscribe; spin_thread spins the node in a thread of its own."""
        self.buffer = buffer
        self.node = node
        self.group = ReentrantCallbackGroup()
        self.tf_sub = node.create_subscription(
            TFMessage,
            tf_topic,
            self.callback,
            _profile(DurabilityPolicy.VOLATILE) if qos is None else qos,
            callback_group=self.group,
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage,
            tf_static_topic,
            self.static_callback,
            _profile(DurabilityPolicy.TRANSIENT_LOCAL) if static_qos is None else static_qos,
            callback_group=self.group,
        )
        self.executor: SingleThreadedExecutor | None = None
        if spin_thread:
            self.executor = SingleThreadedExecutor()
            self.executor.add_node(node)
            self.dedicated_listener_thread = Thread(target=self.executor.spin, daemon=True)
            self.dedicated_listener_thread.start()

    def unregister(self) -> None:
        """End the subscriptions."""
        if self.executor is not None:
            self.executor.shutdown()
            self.dedicated_listener_thread.join()
            self.executor = None
        self.node.destroy_subscription(self.tf_sub)
        self.node.destroy_subscription(self.tf_static_sub)

    def callback(self, data: TFMessage) -> None:
        """Keep the transforms of a message."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, _AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Keep the static transforms of a message."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, _AUTHORITY)


def _profile(durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(depth=100, durability=durability, history=HistoryPolicy.KEEP_LAST)
