"""Chooses an even subset of a cloud."""

from __future__ import annotations

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

# Points kept for each requested one before farthest-point sampling, whose cost is their product.
_MOST_KEPT, _LEAST_KEPT, _COST = 4.0, 1.2, 1e8
_VOXELS = 0.01 * 0.75 ** np.arange(32)  # sides, as shares of the extent


def thin(points: NDArray[np.floating], count: int) -> NDArray[np.int64]:
    """Return the indices of at most `count` evenly spread points of (N, 3), ascending.

    Voxel thinning (one point of every voxel), then farthest-point sampling, as in Lin et al.:
    "AutoURDF", CVPR 2025. The voxel is the largest of a geometric series that keeps at least
    `count` points and some reserve. Of points that coincide only one is kept.
    """
    if len(points) <= count:
        return np.arange(len(points))
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    reserve = np.clip(_COST / count**2, _LEAST_KEPT, _MOST_KEPT)
    for size in extent * _VOXELS:
        kept = _one_per_voxel(points, size)
        if len(kept) >= min(reserve * count, len(points)):
            break
    if len(kept) <= count:  # points coincide
        return np.sort(kept)
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points[kept].astype(np.float64)))
    # Open3D returns no indices: they are stored in a colour channel.
    channels = np.zeros((len(kept), 3))
    channels[:, 0] = kept
    cloud.colors = o3d.utility.Vector3dVector(channels)
    chosen = np.asarray(cloud.farthest_point_down_sample(count).colors)[:, 0]
    return np.sort(np.round(chosen).astype(np.int64))


def _one_per_voxel(points: NDArray[np.floating], size: float) -> NDArray[np.int64]:
    cells = np.floor((points - points.min(axis=0)) / size).astype(np.int64)
    strides = np.array([1, *np.cumprod(cells.max(axis=0) + 1)[:2]])
    return np.unique(cells @ strides, return_index=True)[1]
