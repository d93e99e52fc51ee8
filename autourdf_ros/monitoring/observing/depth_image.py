"""Nearest measured depth in every direction of one camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.rigid_motion import inverse, transform

CELL = 0.008  # side of a cell of the image, as a tangent: a few pixels
SIDE = 2.0  # tangent of half the widest view


@dataclass(frozen=True)
class DepthImage:
    """Depths of one camera over a grid of directions.

    Attributes:
        pose: (4, 4) of the camera in the base frame.
        depths: (H, W) m; infinite where nothing was measured.
    """

    pose: NDArray[np.float64]
    depths: NDArray[np.float32]

    def visibility(
        self, places: NDArray[np.float64], tolerance: float
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which expected surface points the camera sees, and which are missing.

        A point is missing where the camera sees past it: everything that it measured about that
        direction is farther by more than the tolerance. A point is neither seen nor missing where
        something nearer hides it, where nothing was measured, or outside the view.

        Args:
            places: (N, 3) in the base frame (m).
            tolerance: m.

        Returns:
            (N,) seen and (N,) missing.
        """
        local = transform(inverse(self.pose), places)
        ahead = local[:, 2] > 1e-6
        tangents = local[:, :2] / np.where(ahead, local[:, 2], 1.0)[:, None]
        cells = np.floor((tangents + SIDE) / CELL).astype(np.int64)
        inside = ahead & ((cells > 0) & (cells < len(self.depths) - 1)).all(axis=1)
        cells = np.where(inside[:, None], cells, 1)
        around = np.stack(
            [
                self.depths[cells[:, 1] + down, cells[:, 0] + right]
                for down in (-1, 0, 1)
                for right in (-1, 0, 1)
            ]
        )
        depth = local[:, 2]
        seen = inside & (np.abs(around - depth) <= tolerance).any(axis=0)
        measured = np.isfinite(around[4])
        return seen, inside & measured & ~seen & (around > depth + tolerance).all(axis=0)


def depth_image(points: NDArray[np.float32], pose: NDArray[np.float64]) -> DepthImage:
    """Make a depth image from a cloud.

    Args:
        points: (N, 3) in the camera's frame (m), z forward (REP 103).
        pose: (4, 4) of the camera in the base frame.
    """
    return DepthImage(pose, _image(np.ascontiguousarray(points, np.float32)))


@njit(cache=True, nogil=True)
def _image(points: NDArray[np.float32]) -> NDArray[np.float32]:
    side = int(2 * SIDE / CELL)
    depths = np.full((side, side), np.inf, np.float32)
    for i in range(len(points)):
        z = points[i, 2]
        if not z > 1e-6:
            continue
        x, y = points[i, 0] / z + SIDE, points[i, 1] / z + SIDE
        if 0 <= x < 2 * SIDE and 0 <= y < 2 * SIDE:
            row, column = int(y / CELL), int(x / CELL)
            if row < side and column < side and z < depths[row, column]:
                depths[row, column] = z
    return depths
