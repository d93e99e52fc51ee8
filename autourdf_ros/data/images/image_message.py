"""Pixels and lens of sensor_msgs/Image and CameraInfo, of rclpy or rosbags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError

IMAGE, COMPRESSED = "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"
CAMERA_INFO = "sensor_msgs/msg/CameraInfo"
DEPTHS = {"32FC1": ("f4", 1), "16UC1": ("u2", 1), "mono16": ("u2", 1)}
COLORS = {"rgb8": ("u1", 3), "bgr8": ("u1", 3)}
DEPTH_UNIT = 1e-3
"""Metres of 1 in images of whole numbers (REP 118)."""

RECTIFIED = "rect"
"""In topics of image_proc; P of CameraInfo holds for these images, K for others."""

_ENCODINGS = {**DEPTHS, **COLORS}


def pixels_of(message: Any) -> NDArray[Any]:
    """Return the pixels of an Image: (H, W) as they are, or (H, W, 3) RGB.

    Raises:
        ValueError: It is none of an accepted kind, or shorter than it says.
    """
    if message.encoding not in _ENCODINGS:
        raise ValueError(f"encoding {message.encoding!r:.40}; accepted are {', '.join(_ENCODINGS)}")
    kind, channels = _ENCODINGS[message.encoding]
    dtype = np.dtype(kind).newbyteorder(">" if message.is_bigendian else "<")
    row = message.width * channels * dtype.itemsize
    if min(message.width, message.height) < 1 or message.step < row:
        raise ValueError(
            f"{message.width} x {message.height} pixels in rows of {message.step} bytes; accepted "
            f"are rows of at least {row}"
        )
    data = np.frombuffer(message.data, np.uint8)
    if len(data) < message.step * message.height:
        raise ValueError(f"{len(data)} bytes; accepted: {message.step * message.height}")
    rows = data[: message.step * message.height].reshape(message.height, message.step)
    pixels = np.ascontiguousarray(rows[:, :row]).view(dtype)
    if channels == 1:
        return pixels.astype(dtype.newbyteorder("="))
    colors = pixels.reshape(message.height, message.width, channels)
    return colors[..., ::-1].copy() if message.encoding == "bgr8" else colors


def camera_of(info: Any, topic: str, pose: NDArray[np.float64], rectified: bool) -> PinholeCamera:
    """Return the camera of a CameraInfo.

    Args:
        info: The message.
        topic: That it came on, for errors.
        pose: (4, 4) of the optical frame.
        rectified: Whether the images are, so that P holds and not K.

    Raises:
        InputError: It was not calibrated, has a distortion that the images have, too, or shows
            a part of the image.
    """
    if np.any(info.d) and not rectified:
        raise InputError(
            f"{topic} has the distortion {np.round(info.d, 6).tolist()}; accepted are rectified "
            f"images, on a topic with {RECTIFIED!r} in its name"
        )
    region = info.roi
    whole = (region.width, region.height) in ((0, 0), (info.width, info.height))
    if max(info.binning_x, info.binning_y) > 1 or region.x_offset or region.y_offset or not whole:
        raise InputError(f"{topic} shows a part of the image, or binned; accepted is all of it")
    matrix = np.reshape(info.p, (3, 4)) if rectified else np.reshape(info.k, (3, 3))
    if not np.isfinite(matrix).all():
        raise InputError(f"{topic} has numbers that are not finite; accepted: a calibration")
    (fx, fy), (cx, cy) = (matrix[0, 0], matrix[1, 1]), (matrix[0, 2], matrix[1, 2])
    try:
        return PinholeCamera(
            int(info.width), int(info.height), (float(fx), float(fy)), (float(cx), float(cy)), pose
        )
    except InputError as error:
        raise InputError(f"{topic}: {error}") from error
