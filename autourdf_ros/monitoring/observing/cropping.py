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

CELL = 0.03  # m, of the neighbourhood
NEAR = 0.05  # m, about: closer points are averaged in fine voxels
FAR = 0.25  # m, about: closer points are averaged in coarse voxels, others are dropped
FINE = 0.007  # m
COARSE = 0.02  # m


@dataclass(frozen=True)
class Neighbourhood:
    """Cells about a posed robot.

    Attributes:
        origin: (3,) corner of the grid in the base frame (m).
        near: uint8 grid; 2 close to the robot, 1 around it, 0 elsewhere.
    """

    origin: NDArray[np.float64]
    near: NDArray[np.uint8]


def neighbourhood(points: NDArray[np.float64]) -> Neighbourhood:
    """Return the cells about (N, 3) points of the robot's surface (m)."""
    wide, narrow = (int(np.ceil(reach / CELL)) for reach in (FAR, NEAR))
    origin = points.min(axis=0) - (wide + 1) * CELL
    cells = np.floor((points - origin) / CELL).astype(np.int64)
    shape = cells.max(axis=0) + wide + 2
    filled = np.zeros(shape, np.uint8)
    filled[tuple(cells.T)] = 1
    about = maximum_filter(filled, size=2 * wide + 1, mode="constant")
    return Neighbourhood(origin, about + maximum_filter(filled, 2 * narrow + 1, mode="constant"))


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
        np.ascontiguousarray(points, np.float32), pose, around.origin, around.near
    )
    return kept, number, close


@njit(cache=True, nogil=True)
def _crop(
    points: NDArray[np.float32],
    pose: NDArray[np.float64],
    origin: NDArray[np.float64],
    near: NDArray[np.uint8],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    inside = np.empty((len(points), 3), np.float64)
    level = np.empty(len(points), np.uint8)
    count = 0
    r00, r01, r02, t0 = pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3] - origin[0]
    r10, r11, r12, t1 = pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3] - origin[1]
    r20, r21, r22, t2 = pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3] - origin[2]
    nx, ny, nz = near.shape
    side_x, side_y, side_z = nx * CELL, ny * CELL, nz * CELL
    for i in range(len(points)):
        px, py, pz = points[i, 0], points[i, 1], points[i, 2]
        x = r00 * px + r01 * py + r02 * pz + t0
        y = r10 * px + r11 * py + r12 * pz + t1
        z = r20 * px + r21 * py + r22 * pz + t2
        # A coordinate that is not finite fails every comparison.
        if not (0 <= x < side_x and 0 <= y < side_y and 0 <= z < side_z):
            continue
        cell = near[int(x / CELL), int(y / CELL), int(z / CELL)]
        if cell:
            inside[count, 0], inside[count, 1], inside[count, 2] = x, y, z
            level[count] = cell
            count += 1
    shape = (int(side_x / FINE) + 1, int(side_y / FINE) + 1, int(side_z / FINE) + 1)
    row = np.zeros(shape[0] * shape[1] * shape[2], np.int32)  # counted from 1
    loose = (int(side_x / COARSE) + 1, int(side_y / COARSE) + 1, int(side_z / COARSE) + 1)
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
            i, j, k = int(x / FINE), int(y / FINE), int(z / FINE)
            voxel = (i * shape[1] + j) * shape[2] + k
            if not row[voxel]:
                row[voxel] = total + 1
            own = row[voxel] - 1
        else:
            i, j, k = int(x / COARSE), int(y / COARSE), int(z / COARSE)
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
