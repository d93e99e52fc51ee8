"""Broadcasts the transforms of the links of a model."""

from __future__ import annotations

import time

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from autourdf_ros.model.urdf.joint_readings import JointReadings
from autourdf_ros.model.urdf.live_model import LinkTransform, LiveModel
from autourdf_ros.ros.common.conversions import transform_message
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.publisher.publisher_parameters import PublisherSettings


class ModelTransforms:
    """Transforms of the model that is shown, at most once a period.

    Links that never move are broadcast on /tf as well. tf2 keeps transforms of /tf_static for ever
    (ros/geometry2 issue 370), also those of a model that was replaced; transforms of /tf end when
    they are not repeated. Only the root in the parent frame is static, since all models share it.
    """

    def __init__(self, node: Node, settings: PublisherSettings) -> None:
        self._node = node
        self._settings = settings
        self._due = -float("inf")
        self._static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._moving = node.create_publisher(TFMessage, "/tf", QoSProfile(depth=100))

    def show(self, model: LiveModel) -> None:
        """Begin to broadcast a model."""
        self._due = -float("inf")
        if self._settings.parent_frame:
            header = Header(
                stamp=self._node.get_clock().now().to_msg(), frame_id=self._settings.parent_frame
            )
            child = self._settings.frame_prefix + model.root
            root = TransformStamped(header=header, child_frame_id=child)
            self._static.publish(TFMessage(transforms=[root]))

    def move(self, model: LiveModel, readings: JointReadings, stamp: Time) -> None:
        """Broadcast all links, unless the last broadcast is less than a period ago."""
        now = time.monotonic()
        if now < self._due:
            return
        # Counted from the due time: else a source of nearly this rate would lose every second one.
        self._due = max(self._due + self._settings.period, now)
        moving = model.moving_transforms(model.joint_values(readings.by_motor(model)))
        links = [*model.fixed_transforms(), *moving]
        self._moving.publish(TFMessage(transforms=[self._stamped(item, stamp) for item in links]))

    def destroy(self) -> None:
        """Withdraw the topics; what listeners have heard, they forget as time passes."""
        self._node.destroy_publisher(self._static)
        self._node.destroy_publisher(self._moving)

    def _stamped(self, item: LinkTransform, stamp: Time) -> TransformStamped:
        prefix = self._settings.frame_prefix
        return TransformStamped(
            header=Header(stamp=stamp, frame_id=prefix + item.parent),
            child_frame_id=prefix + item.child,
            transform=transform_message(item.matrix),
        )
