"""Points of a cloud near the posed robot, averaged in voxels, in one pass over the cloud.

Neighbouring pixels see about the same place with independent noise. The mean of the points in a
voxel counts as that many points: sums over means equal sums over all points where the surface is
flat, at a fraction of the work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from autourdf_ros.monitoring.lengths import Lengths


@dataclass(frozen=True)
class Neighbourhood:
    """Cells about a posed robot.

    Attributes:
        origin: (3,) corner of the grid in the base frame (m).
        near: uint8 grid; 2 close to the robot, 1 around it, 0 elsewhere.
        lengths: Of the robot.
    """

    origin: NDArray[np.float64]
    near: NDArray[np.uint8]
    lengths: Lengths


def neighbourhood(points: NDArray[np.float64], lengths: Lengths) -> Neighbourhood:
    """Return the cells about (N, 3) points of the surface (m) of a robot with these lengths."""
    side = lengths.seen
    wide, narrow = (int(np.ceil(reach / side)) for reach in (lengths.far, lengths.near))
    origin = points.min(axis=0) - (wide + 1) * side
    cells = np.floor((points - origin) / side).astype(np.int64)
    shape = cells.max(axis=0) + wide + 2
    filled = np.zeros(shape, np.uint8)
    filled[tuple(cells.T)] = 1
    about = maximum_filter(filled, size=2 * wide + 1, mode="constant")
    close = maximum_filter(filled, 2 * narrow + 1, mode="constant")
    return Neighbourhood(origin, about + close, lengths)


def crop_points(
    points: NDArray[np.float32], pose: NDArray[np.float64], around: Neighbourhood
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Keep the points near the robot and average them in voxels.

    Args:
        points: (N, 3) in the camera's frame (m).
        pose: (4, 4) of the camera in the base frame.
        around: Cells about the robot.

    Returns:
        (K, 3) means in the base frame, (K,) number of points of each, (K,) whether it is close to
            the robot. The order does not follow the image's rows.
    """
    kept, number, close = _crop(
        np.ascontiguousarray(points, np.float32),
        pose,
        around.origin,
        around.near,
        np.array([around.lengths.seen, around.lengths.fine, around.lengths.coarse]),
    )
    return kept, number, close


@njit(cache=True, nogil=True)
def _crop(
    points: NDArray[np.float32],
    pose: NDArray[np.float64],
    origin: NDArray[np.float64],
    near: NDArray[np.uint8],
    sides: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    whole, fine, coarse = sides[0], sides[1], sides[2]
    inside = np.empty((len(points), 3), np.float64)
    level = np.empty(len(points), np.uint8)
    count = 0
    r00, r01, r02, t0 = pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3] - origin[0]
    r10, r11, r12, t1 = pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3] - origin[1]
    r20, r21, r22, t2 = pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3] - origin[2]
    nx, ny, nz = near.shape
    side_x, side_y, side_z = nx * whole, ny * whole, nz * whole
    for i in range(len(points)):
        px, py, pz = points[i, 0], points[i, 1], points[i, 2]
        x = r00 * px + r01 * py + r02 * pz + t0
        y = r10 * px + r11 * py + r12 * pz + t1
        z = r20 * px + r21 * py + r22 * pz + t2
        # A coordinate that is not finite fails every comparison.
        if not (0 <= x < side_x and 0 <= y < side_y and 0 <= z < side_z):
            continue
        cell = near[int(x / whole), int(y / whole), int(z / whole)]
        if cell:
            inside[count, 0], inside[count, 1], inside[count, 2] = x, y, z
            level[count] = cell
            count += 1
    shape = (int(side_x / fine) + 1, int(side_y / fine) + 1, int(side_z / fine) + 1)
    row = np.zeros(shape[0] * shape[1] * shape[2], np.int32)  # counted from 1
    loose = (int(side_x / coarse) + 1, int(side_y / coarse) + 1, int(side_z / coarse) + 1)
    loose_row = np.zeros(loose[0] * loose[1] * loose[2], np.int32)
    sums = np.zeros((count, 3), np.float64)
    number = np.zeros(count, np.float64)
    close = np.empty(count, np.bool_)
    total = 0
    stride = 7919
    while count % stride == 0 and stride > 1:
        stride -= 1
    place = 0
    for _ in range(count):
        place = (place + stride) % count
        x, y, z = inside[place]
        if level[place] == 2:
            i, j, k = int(x / fine), int(y / fine), int(z / fine)
            voxel = (i * shape[1] + j) * shape[2] + k
            if not row[voxel]:
                row[voxel] = total + 1
            own = row[voxel] - 1
        else:
            i, j, k = int(x / coarse), int(y / coarse), int(z / coarse)
            voxel = (i * loose[1] + j) * loose[2] + k
            if not loose_row[voxel]:
                loose_row[voxel] = total + 1
            own = loose_row[voxel] - 1
        if own == total:
            close[own] = level[place] == 2
            total += 1
        sums[own, 0] += x
        sums[own, 1] += y
        sums[own, 2] += z
        number[own] += 1
    return sums[:total] / number[:total, None] + origin, number[:total].copy(), close[:total].copy()
