"""The newest cloud of every camera, brought into the base frame."""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from sensor_msgs.msg import PointCloud2
from tf2_ros import Buffer, TransformException, TransformListener

from autourdf_ros.nodes.conversions import points_from_cloud, seconds, transform_matrix
from autourdf_ros.nodes.matched_subscription import MatchedSubscription


@dataclass(frozen=True)
class CloudSet:
    """One cloud of every camera, and the (4, 4) transforms of their frames to the base frame."""

    clouds: tuple[PointCloud2, ...]
    transforms: tuple[NDArray[np.float64], ...]

    @property
    def stamp(self) -> float:
        """Seconds; of the newest cloud."""
        return max(seconds(cloud.header.stamp) for cloud in self.clouds)

    def in_base_frame(self) -> list[tuple[NDArray[np.float64], NDArray[np.uint8] | None]]:
        """Points (N, 3) in the base frame and colours of every camera."""
        placed = []
        for cloud, transform in zip(self.clouds, self.transforms, strict=True):
            points, colors = points_from_cloud(cloud)
            placed.append((points @ transform[:3, :3].T + transform[:3, 3], colors))
        return placed


class Cameras:
    """Keeps the newest cloud of every camera serialized, and decodes only those asked for."""

    def __init__(
        self, node: Node, topics: Sequence[str], base_frame: str, reliability: str
    ) -> None:
        self._base_frame = base_frame
        self._buffer = Buffer()
        self._listener = TransformListener(self._buffer, node)
        self._lock = threading.Lock()
        self._newest: dict[str, tuple[float, bytes]] = {}
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

    def since(self, stamp: float) -> CloudSet | None:
        """Clouds stamped at or after `stamp`, when every camera has one and its transform."""
        with self._lock:
            chosen = [self._newest.get(topic) for topic in self._topics]
        fresh = [data for entry in chosen if entry and entry[0] >= stamp for data in entry[1:]]
        if len(fresh) < len(self._topics):
            return None
        clouds = tuple(deserialize_message(data, PointCloud2) for data in fresh)
        transforms = []
        for cloud in clouds:
            try:
                found = self._buffer.lookup_transform(
                    self._base_frame,
                    cloud.header.frame_id,
                    Time.from_msg(cloud.header.stamp),
                )
            except TransformException as error:
                self._transform_problem = (
                    f"no transform from {cloud.header.frame_id} to {self._base_frame}: {error}"
                )
                return None
            transforms.append(transform_matrix(found.transform))
        self._transform_problem = ""
        return CloudSet(clouds, tuple(transforms))

    def missing(self, stamp: float) -> str:
        """What `since(stamp)` lacks, in a sentence."""
        problems = []
        for topic, subscription in zip(self._topics, self.subscriptions, strict=True):
            newest = self._newest.get(topic)
            if newest is None:
                problems.append(subscription.problem())
            elif newest[0] < stamp:
                problems.append(
                    f"the newest cloud on {topic} is stamped {stamp - newest[0]:.2f} s before the "
                    "robot stood still (a slow camera, or clocks that differ)"
                )
        return "; ".join(problems) or self._transform_problem or "the robot moved meanwhile"

    def _receive(self, topic: str, data: bytes) -> None:
        # A serialized message starts with 4 bytes that tell the byte order, then header.stamp.
        order = "<" if data[1] & 1 else ">"
        sec, nanosec = struct.unpack_from(order + "iI", data, 4)
        with self._lock:
            self._newest[topic] = sec + nanosec * 1e-9, data
