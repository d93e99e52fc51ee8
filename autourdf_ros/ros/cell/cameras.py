"""The newest clouds of all cameras, with their transforms to the base frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import PointCloud2
from tf2_ros import TransformListener

from autourdf_ros.data.recording.frame_recorder import SerializedView
from autourdf_ros.ros.cell.camera import Camera, CameraCounts, PlacedCloud
from autourdf_ros.ros.common.conversions import transform_matrix
from autourdf_ros.ros.common.stamped_buffer import StampedBuffer


class Cameras:
    """The cameras of a cell, which stand or move with the robot.

    Attributes:
        topics: of the clouds.
        subscriptions: to these topics.
    """

    def __init__(
        self,
        node: Node,
        topics: Sequence[str],
        base_frame: str,
        reliability: str,
        timeout: float,
        kind: type = PointCloud2,
    ) -> None:
        """Create the cameras.

        Args:
            node: the owner.
            topics: of the clouds.
            base_frame: frame to which the clouds are transformed.
            reliability: see `MatchedSubscription`.
            timeout: longest time (s) without a new cloud, see `Heartbeat`.
            kind: type of the messages: clouds, or images.
        """
        self._what = "cloud" if kind is PointCloud2 else "image"
        self.topics = tuple(topics)
        self._base_frame = base_frame
        self._buffer = StampedBuffer()
        self._listener = TransformListener(self._buffer, node)
        self._cameras = [
            Camera(node, topic, reliability, timeout, self.transform, kind) for topic in topics
        ]
        self.subscriptions = [camera.subscription for camera in self._cameras]

    @property
    def counts(self) -> Mapping[str, CameraCounts]:
        """Counts of the clouds, by topic."""
        return {camera.topic: camera.counts for camera in self._cameras}

    def problems(self) -> list[str]:
        """Return why cameras cannot be used, each in a few words."""
        return [problem for camera in self._cameras if (problem := camera.problem())]

    @property
    def unknown(self) -> list[str]:
        """Topics whose period is not known yet."""
        return [camera.topic for camera in self._cameras if not camera.known]

    def since(self, stamp: float) -> SerializedView | None:
        """Return clouds stamped at or after `stamp` (s), or None until all have transforms."""
        newest = [camera.newest for camera in self._cameras]
        clouds = [cloud for cloud in newest if cloud is not None and cloud.stamp >= stamp]
        if len(clouds) < len(newest):
            return None
        return SerializedView(
            self.topics,
            tuple(cloud.data for cloud in clouds),
            tuple(cloud.transform for cloud in clouds),
            tuple(cloud.stamp for cloud in clouds),
        )

    def newest(self, topic: str) -> PlacedCloud | None:
        """Return the newest cloud of one camera, or image, whose transform is known."""
        return self._cameras[self.topics.index(topic)].newest

    def missing(self, stamp: float) -> str:
        """Return what `since(stamp)` lacks, in a sentence; empty where nothing is missing."""
        problems = []
        for camera in self._cameras:
            newest, placed = camera.newest_stamp, camera.newest
            if newest is None:
                problems.append(camera.subscription.problem())
            elif newest < stamp:
                problems.append(
                    f"the newest {self._what} on {camera.topic} is stamped {stamp - newest:.2f} s "
                    f"before the robot stood still; its {self._what}s come "
                    f"{camera.counts.latency:.2f} s after their stamps (a slow camera, or clocks "
                    "that differ)"
                )
            elif placed is None or placed.stamp < stamp:
                problems.append(
                    f"no transform to {self._base_frame} from {camera.transform_problem}"
                )
        return "; ".join(problems)

    def transform(self, frame: str, stamp: Time) -> NDArray[np.float64]:
        """Return the pose (4, 4) of a frame in the base frame. Raise TransformException."""
        found = self._buffer.lookup_transform(self._base_frame, frame, stamp)
        return transform_matrix(found.transform)

    def apart(self, frame: str, stamp: Time) -> float:
        """Return the time (s) between the transforms that `transform` interpolates, 0 for none."""
        return self._buffer.apart(self._base_frame, frame, stamp)
