"""The newest cloud of every camera, brought into the base frame."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import PointCloud2
from tf2_ros import Buffer, TransformException, TransformListener

from autourdf_ros.nodes.conversions import time_message, transform_matrix
from autourdf_ros.nodes.matched_subscription import MatchedSubscription
from autourdf_ros.recording.frame_recorder import SerializedView
from autourdf_ros.recording.topics import read_header


class _Cloud(NamedTuple):
    """A serialized cloud and what its header says; stamp in seconds."""

    stamp: float
    frame_id: str
    data: bytes


class Cameras:
    """Keeps the newest cloud of every camera, serialized: nobody needs most of them."""

    def __init__(
        self, node: Node, topics: Sequence[str], base_frame: str, reliability: str
    ) -> None:
        self._base_frame = base_frame
        self._buffer = Buffer()
        self._listener = TransformListener(self._buffer, node)
        self._lock = threading.Lock()
        self._newest: dict[str, _Cloud] = {}
        self._transform_problem = ""
        self.subscriptions = [
            MatchedSubscription(
                node,
                PointCloud2,
                topic,
                lambda data, topic=topic: self._receive(topic, data),
                depth=2,
                reliability=reliability,
                raw=True,
            )
            for topic in topics
        ]
        self._topics = tuple(topics)

    def since(self, stamp: float) -> SerializedView | None:
        """Clouds stamped at or after `stamp`, when every camera has one and its transform."""
        with self._lock:
            newest = [self._newest.get(topic) for topic in self._topics]
        clouds = [cloud for cloud in newest if cloud is not None and cloud.stamp >= stamp]
        if len(clouds) < len(self._topics):
            return None
        transforms = []
        for cloud in clouds:
            try:
                found = self._buffer.lookup_transform(
                    self._base_frame,
                    cloud.frame_id,
                    Time.from_msg(time_message(cloud.stamp)),
                )
            except TransformException as error:
                self._transform_problem = (
                    f"no transform from {cloud.frame_id} to {self._base_frame}: {error}"
                )
                return None
            transforms.append(transform_matrix(found.transform))
        self._transform_problem = ""
        return SerializedView(
            self._topics,
            tuple(cloud.data for cloud in clouds),
            tuple(transforms),
            tuple(cloud.stamp for cloud in clouds),
        )

    def missing(self, stamp: float) -> str:
        """What `since(stamp)` lacks, in a sentence."""
        problems = []
        for topic, subscription in zip(self._topics, self.subscriptions, strict=True):
            newest = self._newest.get(topic)
            if newest is None:
                problems.append(subscription.problem())
            elif newest.stamp < stamp:
                problems.append(
                    f"the newest cloud on {topic} is stamped {stamp - newest.stamp:.2f} s before "
                    "the robot stood still (a slow camera, or clocks that differ)"
                )
        return "; ".join(problems) or self._transform_problem or "the robot moved meanwhile"

    def _receive(self, topic: str, data: bytes) -> None:
        stamp, frame_id = read_header(data)
        with self._lock:
            self._newest[topic] = _Cloud(stamp / 1e9, frame_id, data)
