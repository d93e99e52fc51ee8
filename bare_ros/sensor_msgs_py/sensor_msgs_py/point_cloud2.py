"""Points of `sensor_msgs/PointCloud2` messages as numpy arrays, and back."""

from __future__ import annotations

import array
import sys
from collections import namedtuple
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured, unstructured_to_structured
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header

_DATATYPES = {
    PointField.INT8: np.dtype(np.int8),
    PointField.UINT8: np.dtype(np.uint8),
    PointField.INT16: np.dtype(np.int16),
    PointField.UINT16: np.dtype(np.uint16),
    PointField.INT32: np.dtype(np.int32),
    PointField.UINT32: np.dtype(np.uint32),
    PointField.FLOAT32: np.dtype(np.float32),
    PointField.FLOAT64: np.dtype(np.float64),
}


def read_points(
    cloud: PointCloud2,
    field_names: Iterable[str] | None = None,
    skip_nans: bool = False,
    uvs: Iterable[int] | None = None,
    reshape_organized_cloud: bool = False,
) -> np.ndarray:
    """Return points as a structured array with one entry a point.

    field_names: the fields to read, by default all. skip_nans: leave out points with a NaN in
    these fields (a dense cloud is not searched). uvs: indices of the points to read.
    reshape_organized_cloud: give an organized cloud as an array of shape (width, height).
    """
    assert isinstance(cloud, PointCloud2), "Cloud is not a sensor_msgs.msg.PointCloud2"
    points: np.ndarray = np.ndarray(
        shape=(cloud.width * cloud.height,),
        dtype=dtype_from_fields(cloud.fields, point_step=cloud.point_step),
        buffer=cloud.data,
    )
    if field_names is not None:
        names = list(field_names)
        known = points.dtype.names or ()
        assert all(name in known for name in names), (
            "Requests field is not in the fields of the PointCloud!"
        )
        points = points[names]
    if cloud.is_bigendian != (sys.byteorder == "big"):
        points = points.byteswap()
    if skip_nans and not cloud.is_dense:
        keep = np.ones(len(points), dtype=bool)
        for name in points.dtype.names or ():
            keep &= ~np.isnan(points[name])
        points = points[keep]
    if uvs is not None:
        points = points[uvs if isinstance(uvs, np.ndarray) else np.fromiter(uvs, int)]
    if reshape_organized_cloud and cloud.height > 1:
        points = points.reshape(cloud.width, cloud.height)
    return points


def read_points_numpy(
    cloud: PointCloud2,
    field_names: Iterable[str] | None = None,
    skip_nans: bool = False,
    uvs: Iterable[int] | None = None,
    reshape_organized_cloud: bool = False,
) -> np.ndarray:
    """Return points as a plain (N, fields) array; all fields must have the first field's type."""
    names = None if field_names is None else list(field_names)
    assert all(
        field.datatype == cloud.fields[0].datatype
        for field in cloud.fields[1:]
        if names is None or field.name in names
    ), "All fields need to have the same datatype. Use `read_points()` otherwise."
    return structured_to_unstructured(
        read_points(cloud, names, skip_nans, uvs, reshape_organized_cloud)
    )


def read_points_list(
    cloud: PointCloud2,
    field_names: Iterable[str] | None = None,
    skip_nans: bool = False,
    uvs: Iterable[int] | None = None,
) -> list[Any]:
    """Return points as named tuples; slow, for small clouds."""
    names = [field.name for field in cloud.fields] if field_names is None else list(field_names)
    point = namedtuple("Point", names)  # type: ignore[misc]
    return [point._make(values) for values in read_points(cloud, names, skip_nans, uvs)]


def dtype_from_fields(fields: Iterable[PointField], point_step: int | None = None) -> np.dtype:
    """Return the structured type of a point; a field of count n becomes `name_0`, `name_1`…"""
    names: list[str] = []
    offsets: list[int] = []
    formats: list[str] = []
    for index, field in enumerate(fields):
        datatype = _DATATYPES[field.datatype]
        name = field.name or f"unnamed_field_{index}"
        assert field.count > 0, "Can't process fields with count = 0."
        for part in range(field.count):
            part_name = name if field.count == 1 else f"{name}_{part}"
            assert part_name not in names, "Duplicate field names are not allowed!"
            names.append(part_name)
            offsets.append(field.offset + part * datatype.itemsize)
            formats.append(datatype.str)
    layout: dict[str, Any] = {"names": names, "formats": formats, "offsets": offsets}
    if point_step is not None:
        layout["itemsize"] = point_step
    return np.dtype(layout)


def create_cloud(
    header: Header,
    fields: Sequence[PointField],
    points: Iterable[Any],
    point_step: int | None = None,
) -> PointCloud2:
    """Return a message of points.

    The points are a structured array of the fields' type, an (N, fields) array where all fields
    have one type, or one iterable of values a point (slow). A two-dimensional structured array
    gives an organized cloud of shape (width, height).
    """
    dtype = dtype_from_fields(fields, point_step)
    if not isinstance(points, np.ndarray):
        points = np.array([tuple(point) for point in points], dtype=dtype)
    elif points.dtype.names is None:
        assert all(field.datatype == fields[0].datatype for field in fields[1:]), (
            "All fields need to have the same datatype. Pass a structured NumPy array with "
            "multiple dtypes otherwise."
        )
        points = unstructured_to_structured(points, dtype=dtype)
    else:
        assert points.dtype == dtype, (
            "PointFields and structured NumPy array dtype do not match for all fields! Check "
            "their field order, names and types."
        )
    assert points.ndim <= 2, (
        "Too many dimensions for organized cloud! Points can only be organized in max. two "
        "dimensional space"
    )
    width, height = (points.shape[0], 1) if points.ndim == 1 else points.shape
    cloud = PointCloud2(
        header=header,
        height=height,
        width=width,
        is_dense=False,
        is_bigendian=sys.byteorder != "little",
        fields=fields,
        point_step=points.dtype.itemsize,
        row_step=points.dtype.itemsize * width,
    )
    # The property takes an `array` without checking every byte.
    cloud.data = array.array("B", points.tobytes())
    return cloud


def create_cloud_xyz32(header: Header, points: Iterable[Any]) -> PointCloud2:
    """Return a message with the float32 fields x, y, z."""
    fields = [
        PointField(name=name, offset=4 * index, datatype=PointField.FLOAT32, count=1)
        for index, name in enumerate("xyz")
    ]
    return create_cloud(header, fields, points)
