"""Clouds without some of their points."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2


def chosen_points(cloud: PointCloud2, chosen: NDArray[np.bool_]) -> PointCloud2:
    """Return a cloud of some points with all of their fields, in one row.

    Args:
        cloud: Whose layout was checked (`points_from_cloud`).
        chosen: (N,) which points are kept, row by row.
    """
    data = np.frombuffer(cloud.data, np.uint8)
    points = np.ndarray(
        (cloud.height, cloud.width, cloud.point_step),
        np.uint8,
        buffer=data,
        strides=(cloud.row_step if cloud.height > 1 else 0, cloud.point_step, 1),
    )
    kept = points.reshape(-1, cloud.point_step)[chosen]
    return PointCloud2(
        header=cloud.header,
        height=1,
        width=len(kept),
        fields=cloud.fields,
        is_bigendian=cloud.is_bigendian,
        point_step=cloud.point_step,
        row_step=kept.nbytes,
        data=array("B", kept.tobytes()),
        is_dense=cloud.is_dense,
    )
