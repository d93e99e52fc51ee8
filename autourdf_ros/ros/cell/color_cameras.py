"""The newest colour images of a cell's cameras, each with its CameraInfo and transform."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CameraInfo, Image

from autourdf_ros.data.images.image_message import RECTIFIED, camera_of
from autourdf_ros.data.recording.recorded_images import SerializedImage
from autourdf_ros.errors import InputError
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription


class ColorImages:
    """Cameras on topics of sensor_msgs/Image, with CameraInfo on `camera_info` beside each.

    Attributes:
        topics: of the images.
        subscriptions: to all of these topics.
    """

    def __init__(
        self, node: Node, topics: Sequence[str], base_frame: str, reliability: str, timeout: float
    ) -> None:
        """Create them; arguments as of `Cameras`."""
        self.topics = tuple(topics)
        self._cameras = Cameras(node, topics, base_frame, reliability, timeout, Image)
        self._infos = {
            images: _NewestInfo(node, f"{images.rpartition('/')[0]}/camera_info", reliability)
            for images in topics
        }
        infos = [info.subscription for info in self._infos.values()]
        self.subscriptions = [*self._cameras.subscriptions, *infos]

    def problems(self) -> list[str]:
        """Return why cameras cannot be used, each in a few words."""
        lenses = [info.problem(RECTIFIED in topic) for topic, info in self._infos.items()]
        return [*self._cameras.problems(), *filter(None, lenses)]

    def since(self, stamp: float) -> tuple[SerializedImage, ...] | None:
        """Return images stamped at or after `stamp` (s), or None until all are placed."""
        view = self._cameras.since(stamp)
        infos = [self._infos[topic].data for topic in self._cameras.topics]
        if view is None or any(data is None for data in infos):
            return None
        rows = zip(view.cameras, view.clouds, infos, view.transforms, view.stamps, strict=True)
        return tuple(
            SerializedImage(topic, image, info or b"", transform, own)
            for topic, image, info, transform, own in rows
        )

    def newest(self, topic: str) -> SerializedImage | None:
        """Return the newest image of one camera, or None until it is placed."""
        placed, info = self._cameras.newest(topic), self._infos[topic].data
        if placed is None or info is None:
            return None
        return SerializedImage(topic, placed.data, info, placed.transform, placed.stamp)

    def missing(self, stamp: float) -> str:
        """Return what `since(stamp)` lacks, in a sentence; empty where nothing is missing."""
        return "; ".join(filter(None, [self._cameras.missing(stamp), *self.problems()]))


class _NewestInfo:
    """The newest CameraInfo of a topic; data: in CDR, None before the first."""

    def __init__(self, node: Node, topic: str, reliability: str) -> None:
        self.data: bytes | None = None
        self.subscription = MatchedSubscription(
            node, CameraInfo, topic, self._receive, depth=1, reliability=reliability, raw=True
        )

    def _receive(self, data: bytes) -> None:
        self.data = data

    def problem(self, rectified: bool) -> str:
        """Return why it cannot be used; empty where it can."""
        if self.data is None:
            return self.subscription.problem()
        try:
            info = deserialize_message(self.data, CameraInfo)
            camera_of(info, self.subscription.topic, np.eye(4), rectified)
        except InputError as error:
            return str(error)
        return ""
