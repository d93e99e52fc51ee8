"""The camera whose view is predicted: its lens by CameraInfo, its pose by TF or by a parameter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo
from tf2_ros import TransformException, TransformListener

from autourdf_ros.data.images.image_message import camera_of
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.conversions import transform_matrix
from autourdf_ros.ros.common.stamped_buffer import StampedBuffer
from autourdf_ros.ros.rendering.rendering_parameters import RenderingSettings
from autourdf_ros.ros.rendering.unknown_error import UnknownError

MOST_PIXELS = 2**23
"""Of a predicted image: a bound of memory and time."""


class CameraSource:
    """The newest lens, and transforms.

    Attributes:
        info: The newest CameraInfo; None: none came.
    """

    def __init__(self, node: Node, settings: RenderingSettings) -> None:
        self.info: CameraInfo | None = None
        self._settings = settings
        self._buffer = StampedBuffer()
        self._listener = TransformListener(self._buffer, node)

    def camera(self, stamp: int) -> PinholeCamera:
        """Return the camera at a time (ns). Raise UnknownError or InputError."""
        settings, info = self._settings, self.info
        if info is None:
            raise UnknownError(f"no CameraInfo on {settings.camera_info_topic} yet", for_now=True)
        frame, pose = info.header.frame_id, settings.camera_pose
        if info.width * info.height > MOST_PIXELS:
            raise InputError(
                f"{settings.camera_info_topic} is of {info.width} x {info.height} pixels; "
                f"accepted are up to {MOST_PIXELS}"
            )
        if pose is None:
            pose = self.between(settings.base_frame, frame, stamp)
        return camera_of(info, settings.camera_info_topic, pose, settings.rectified)

    def between(self, target: str, frame: str, stamp: int) -> NDArray[np.float64]:
        """Return the pose (4, 4) of a frame in another at a time (ns). Raise UnknownError."""
        if target == frame:
            return np.eye(4)
        time = Time(nanoseconds=stamp, clock_type=ClockType.ROS_TIME)
        try:
            pose = transform_matrix(self._buffer.lookup_transform(target, frame, time).transform)
        except (TransformException, InputError) as error:
            raise UnknownError(
                f"no transform from {frame!r} to {target!r}: {error}", for_now=True
            ) from error
        gap, longest = self._buffer.apart(target, frame, time), self._settings.longest_gap
        if gap > longest:
            raise UnknownError(
                f"the transforms from {frame!r} to {target!r} around the image are {gap:.2f} s "
                f"apart; accepted are {longest:g} s (longest_gap)",
                for_now=False,
            )
        return pose
