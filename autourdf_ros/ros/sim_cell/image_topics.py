"""The colour images of a simulated camera, with its CameraInfo."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from autourdf_ros.ros.common.conversions import image_message
from autourdf_ros.simulation.cameras.pinhole_camera import Intrinsics


class ImageTopics:
    """Publishes images of one camera."""

    def __init__(self, node: Node, index: int, quality: QoSProfile) -> None:
        """Create the publishers of camera number `index`."""
        self._images = node.create_publisher(Image, f"/camera_{index}/image", quality)
        self._infos = node.create_publisher(CameraInfo, f"/camera_{index}/camera_info", quality)

    @property
    def heard(self) -> bool:
        """Whether anybody subscribes."""
        topics = self._images, self._infos
        return any(topic.get_subscription_count() for topic in topics)

    def publish(self, colors: NDArray[np.uint8], camera: Intrinsics, header: Header) -> None:
        """Publish an image (H, W, 3) RGB and its CameraInfo."""
        self._infos.publish(_info(camera, header))
        self._images.publish(image_message(colors, "rgb8", header))


def _info(camera: Intrinsics, header: Header) -> CameraInfo:
    focal, (column, row) = float(camera.focal), camera.center
    matrix = [focal, 0.0, column, 0.0, focal, row, 0.0, 0.0, 1.0]
    return CameraInfo(
        header=header,
        width=camera.width,
        height=camera.height,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=matrix,
        r=np.eye(3).ravel(),
        p=[*matrix[:3], 0.0, *matrix[3:6], 0.0, *matrix[6:], 0.0],
    )
