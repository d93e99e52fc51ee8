"""Nearest points by the L1 distance, exact, by a grid of cubic cells.

The networks move points a little from one iteration to the next, so that the nearest one of the
last iteration is a close bound from the start, and a query visits few cells.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import Grid


def nearest_l1(grid: Grid, queries: Array, guesses: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number (M,) of the point that is nearest by L1 to each query.

    Args:
        grid: of the points.
        queries: (M, 3); those that are not finite keep their guesses.
        guesses: (M,) numbers of points to begin with, any; good ones make it fast. One is kept
            where another point is as near.
    """
    rows = np.empty(len(grid.numbers), np.int64)
    rows[grid.numbers] = np.arange(len(rows))
    found: NDArray[np.int64] = _query(grid, np.ascontiguousarray(queries), rows[guesses])
    return found


@njit(cache=True, nogil=True)
def _query(grid: Grid, queries: Array, guesses: NDArray[np.int64]) -> NDArray[np.int64]:
    points, origin, cell, shape, starts = (
        grid.points,
        grid.origin,
        grid.cell,
        grid.shape,
        grid.starts,
    )
    result = np.empty(len(queries), np.int64)
    for i in range(len(queries)):
        x, y, z = queries[i, 0], queries[i, 1], queries[i, 2]
        found = guesses[i]
        best = abs(points[found, 0] - x) + abs(points[found, 1] - y) + abs(points[found, 2] - z)
        # Cells that the octahedron of the best distance may touch.
        low, high = np.empty(3, np.int64), np.empty(3, np.int64)
        finite = best < np.inf
        if finite:
            for k in range(3):
                place, last = queries[i, k] - origin[k], float(shape[k] - 1)
                low[k] = np.int64(min(max(np.floor((place - best) / cell), 0.0), last))
                high[k] = np.int64(min(max(np.floor((place + best) / cell), 0.0), last))
            for jx in range(low[0], high[0] + 1):
                gx = max(origin[0] + jx * cell - x, x - origin[0] - (jx + 1) * cell, 0.0)
                if gx >= best:
                    continue
                for jy in range(low[1], high[1] + 1):
                    gy = max(origin[1] + jy * cell - y, y - origin[1] - (jy + 1) * cell, 0.0)
                    if gx + gy >= best:
                        continue
                    column = (jx * shape[1] + jy) * shape[2]
                    for row in range(starts[column + low[2]], starts[column + high[2] + 1]):
                        distance = (
                            abs(points[row, 0] - x)
                            + abs(points[row, 1] - y)
                            + abs(points[row, 2] - z)
                        )
                        if distance < best:
                            best, found = distance, row
        result[i] = grid.numbers[found]
    return result
