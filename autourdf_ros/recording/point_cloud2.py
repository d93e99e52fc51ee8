"""Reads the points of sensor_msgs/PointCloud2 messages, of rclpy's class or of rosbags'."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

# By the constants of sensor_msgs/PointField.
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


def points_from_cloud(cloud: Any) -> tuple[NDArray[np.floating], NDArray[np.uint8] | None]:
    """Points (N, 3) and RGB colours (N, 3), or None where the cloud has no rgb or rgba field.

    Takes fields in any order and of any type, padded points and rows, and either endianness; keeps
    points that are not finite. Raises InputError when x, y or z is missing or the data are short.
    """
    fields = {field.name: field for field in cloud.fields}
    if not {"x", "y", "z"} <= set(fields):
        raise InputError(
            f"cloud in {cloud.header.frame_id!r} has fields {sorted(fields)}; accepted is x, y, z"
        )
    data = np.frombuffer(cloud.data, np.uint8)
    last_row = cloud.width * cloud.point_step
    if cloud.height and cloud.width and len(data) < (cloud.height - 1) * cloud.row_step + last_row:
        raise InputError(
            f"cloud in {cloud.header.frame_id!r} has {len(data)} bytes of data, less than its "
            f"{cloud.height} x {cloud.width} points of {cloud.point_step} bytes"
        )
    points = np.stack([_column(cloud, data, fields[axis]) for axis in "xyz"], axis=1)
    packed = fields.get("rgb", fields.get("rgba"))
    if packed is None:
        return points, None
    rgb = _column(cloud, data, packed, "u4")
    return points, np.stack([rgb >> 16, rgb >> 8, rgb], axis=1).astype(np.uint8)


def _column(
    cloud: Any, data: NDArray[np.uint8], field: Any, kind: str | None = None
) -> NDArray[Any]:
    """Values (N,) of a field; `kind` reads its bytes as another type of the same size."""
    order = ">" if cloud.is_bigendian else "<"
    dtype = np.dtype(order + (kind or _TYPES[field.datatype]))
    if not len(data):
        return np.zeros(0, dtype.newbyteorder("="))
    strided: NDArray[Any] = np.ndarray(
        (cloud.height, cloud.width),
        dtype,
        buffer=data,
        offset=field.offset,
        strides=(cloud.row_step, cloud.point_step),
    )
    return strided.reshape(-1).astype(dtype.newbyteorder("="))
