"""Reads the points of sensor_msgs/PointCloud2 messages of rclpy or rosbags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

# By the constants of sensor_msgs/PointField.
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
_COLORS = ("rgb", "rgba")


def points_from_cloud(cloud: Any) -> tuple[NDArray[np.floating], NDArray[np.uint8] | None]:
    """Return the points and colours of a cloud, with those not measured (`measured_mask`).

    The cloud may be organized or not, with fields in any order, further fields of any type, padded
    points and rows, and either endianness. Coordinates of any numeric type become floats.

    Returns:
        Points (N, 3), and RGB colours (N, 3) or None where there is no rgb or rgba field.

    Raises:
        InputError: x, y or z is missing, a field does not fit into a point, or the data are short;
            it names the cloud's frame and the field.
    """
    fields = {field.name: field for field in cloud.fields}
    if not {"x", "y", "z"} <= set(fields):
        raise InputError(
            f"cloud in {cloud.header.frame_id!r} has fields {sorted(fields)}; accepted is x, y, z"
        )
    data = np.frombuffer(cloud.data, np.uint8)
    _check_layout(cloud, len(data))
    columns = [_column(cloud, data, fields[axis]) for axis in "xyz"]
    points = np.stack(columns, axis=1)
    if points.dtype.kind != "f":
        points = points.astype(float)
    packed = next((fields[name] for name in _COLORS if name in fields), None)
    if packed is None:
        return points, None
    rgb = _column(cloud, data, packed, "u4")
    return points, np.stack([rgb >> 16, rgb >> 8, rgb], axis=1).astype(np.uint8)


def measured_mask(points: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return which of (N, 3) points in their camera's frame were measured.

    Drivers mark pixels without depth by NaN, by infinity, or by a point at the camera's origin.
    """
    return np.asarray(np.isfinite(points).all(axis=1) & (points != 0).any(axis=1))


def _check_layout(cloud: Any, size: int) -> None:
    where = f"cloud in {cloud.header.frame_id!r}"
    if not cloud.height or not cloud.width:
        return
    row = cloud.width * cloud.point_step
    if cloud.height > 1 and cloud.row_step < row:
        raise InputError(
            f"{where} has a row_step of {cloud.row_step} bytes, less than its {cloud.width} "
            f"points of {cloud.point_step} bytes"
        )
    if size < (cloud.height - 1) * cloud.row_step + row:
        raise InputError(
            f"{where} has {size} bytes of data, less than its "
            f"{cloud.height} x {cloud.width} points of {cloud.point_step} bytes"
        )


def _column(
    cloud: Any, data: NDArray[np.uint8], field: Any, kind: str | None = None
) -> NDArray[Any]:
    """Return the values (N,) of a field; `kind` reads its bytes as another type."""
    where = f"cloud in {cloud.header.frame_id!r}: field {field.name}"
    if field.datatype not in _TYPES:
        raise InputError(
            f"{where} is of datatype {field.datatype}; accepted is 1 to 8 (sensor_msgs/PointField)"
        )
    dtype = np.dtype((">" if cloud.is_bigendian else "<") + (kind or _TYPES[field.datatype]))
    if field.offset + dtype.itemsize > cloud.point_step:
        raise InputError(
            f"{where} takes bytes {field.offset} to {field.offset + dtype.itemsize} of a point of "
            f"{cloud.point_step} bytes; accepted is a field within the point"
        )
    native = dtype.newbyteorder("=")
    if not cloud.height or not cloud.width:
        return np.zeros(0, native)
    strided: NDArray[Any] = np.ndarray(
        (cloud.height, cloud.width),
        dtype,
        buffer=data,
        offset=field.offset,
        # The step of a single row has no meaning, and some drivers leave it at zero.
        strides=(cloud.row_step if cloud.height > 1 else 0, cloud.point_step),
    )
    return strided.reshape(-1).astype(native)
