"""Find nearest points, by a grid of cubic cells.

Clouds hardly move from one frame to the next, so that a point's nearest one is in its own cell or
beside it, and points of neighbouring cells lie side by side in memory: several times faster than a
tree, which has to be descended for every point (`benchmark --profile` shows what it is worth).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

CELL = 3.0  # point spacings
MOST_CELLS = 16  # a point, in boxes that are nearly empty
MOST_REACH = 4.0  # cells, beyond which shells are faster than all cells within reach
FAR = 1e9  # cells from the grid, where no point is near


class Grid(NamedTuple):
    """Points sorted by cubic cells.

    Attributes:
        points: (N, 3), cell by cell.
        numbers: (N,) of them as they were given.
        origin: (3,) corner of the first cell.
        cell: its side.
        shape: (3,) cells along the axes.
        starts: (cells + 1,) of every cell's points.
    """

    points: Array
    numbers: NDArray[np.int64]
    origin: Array
    cell: float
    shape: NDArray[np.int64]
    starts: NDArray[np.int64]

    def query(self, queries: Array, gate: float = np.inf) -> tuple[Array, NDArray[np.int64]]:
        """Find the nearest point of every query.

        Args:
            queries: (M, 3).
            gate: distance beyond which there is none.

        Returns:
            Distances (M,), and numbers (M,) of the points; infinite and N where none is nearer than
            the gate, as by the trees of scipy.
        """
        return _query(self, np.ascontiguousarray(queries, dtype=np.float64), float(gate))


def build_grid(points: Array, spacing: float) -> Grid:
    """Build the grid of points (N, 3), typically `spacing` apart."""
    return _sort(np.ascontiguousarray(points, dtype=np.float64), CELL * float(spacing))


@njit(cache=True, nogil=True)
def _sort(points: Array, cell: float) -> Grid:
    count = len(points)
    origin, extent = np.zeros(3), np.zeros(3)
    if count:
        for k in range(3):
            origin[k] = points[:, k].min()
            extent[k] = points[:, k].max() - origin[k]
    cell = max(cell, extent.max() * 1e-6, 1e-12)
    while np.prod(np.floor(extent / cell) + 1.0) > MOST_CELLS * (count + 1):
        cell *= 1.5
    shape = (extent / cell).astype(np.int64) + 1
    starts = np.zeros(shape[0] * shape[1] * shape[2] + 1, np.int64)
    cells = np.empty(count, np.int64)
    for i in range(count):
        number = 0
        for k in range(3):
            number = number * shape[k] + np.int64((points[i, k] - origin[k]) / cell)
        cells[i] = number
        starts[number + 1] += 1
    for number in range(1, len(starts)):
        starts[number] += starts[number - 1]
    free = starts.copy()
    ordered, numbers = np.empty((count, 3)), np.empty(count, np.int64)
    for i in range(count):
        row = free[cells[i]]
        free[cells[i]] += 1
        numbers[row] = i
        for k in range(3):
            ordered[row, k] = points[i, k]
    return Grid(ordered, numbers, origin, cell, shape, starts)


@njit(cache=True, nogil=True, error_model="numpy")
def _query(grid: Grid, queries: Array, gate: float) -> tuple[Array, NDArray[np.int64]]:
    """Distances (M,) and numbers (M,) of the nearest points, as `Grid.query` returns them.

    The query's own cell comes first, then all cells within reach, which doubles until a point is
    found. What is found bounds the cells that may hold a nearer one: hardly ever more than those
    beside the query's.
    """
    points, starts, origin, scale = grid.points, grid.starts, grid.origin, 1.0 / grid.cell
    along_x, along_y, along_z = grid.shape
    count = len(queries)
    distances, numbers = np.full(count, np.inf), np.full(count, len(points))
    for i in range(count):
        x, y, z = queries[i, 0], queries[i, 1], queries[i, 2]
        fx, fy, fz = (x - origin[0]) * scale, (y - origin[1]) * scale, (z - origin[2]) * scale
        if not (abs(fx) < FAR and abs(fy) < FAR and abs(fz) < FAR):
            continue
        best, found, reach, searched = gate * gate, -1, 0.0, False
        while not searched and reach <= MOST_REACH:
            low, high = int(max(fz - reach, 0.0)), min(int(fz + reach), along_z - 1)
            for jx in range(int(max(fx - reach, 0.0)), min(int(fx + reach), along_x - 1) + 1):
                for jy in range(int(max(fy - reach, 0.0)), min(int(fy + reach), along_y - 1) + 1):
                    if low <= high:
                        column = (jx * along_y + jy) * along_z
                        begin, end = starts[column + low], starts[column + high + 1]
                        best, found = _nearest_in(points, begin, end, x, y, z, best, found)
            needed = np.sqrt(best) * scale
            searched = reach >= needed
            reach = needed if found >= 0 else min(max(2 * reach, 1.0), needed)
        if not searched:
            best, found = _nearest_by_shells(grid, x, y, z, best, found)
        if found >= 0:
            distances[i], numbers[i] = np.sqrt(best), grid.numbers[found]
    return distances, numbers


@njit(cache=True, nogil=True, inline="always")
def _nearest_in(
    points: Array, begin: int, end: int, x: float, y: float, z: float, best: float, found: int
) -> tuple[float, int]:
    """Least squared distance below `best` in some rows, and the row; else what was found before."""
    for row in range(begin, end):
        ox, oy, oz = points[row, 0] - x, points[row, 1] - y, points[row, 2] - z
        squared = ox * ox + oy * oy + oz * oz
        if squared < best:
            best = squared
            found = row
    return best, found


@njit(cache=True, nogil=True)
def _nearest_by_shells(
    grid: Grid, x: float, y: float, z: float, best: float, found: int
) -> tuple[float, int]:
    """The same as by `_nearest_in`, in the whole grid.

    Shells of cells around the query are searched until all that are left are too far. In a shell's
    faces, the points of a whole row of cells along z lie one after the other.
    """
    points, origin, cell = grid.points, grid.origin, grid.cell
    shape, starts = grid.shape, grid.starts
    fx, fy, fz = (x - origin[0]) / cell, (y - origin[1]) / cell, (z - origin[2]) / cell
    cx, cy, cz = int(np.floor(fx)), int(np.floor(fy)), int(np.floor(fz))
    fx, fy, fz = fx - cx, fy - cy, fz - cz
    inside = min(fx, 1 - fx, fy, 1 - fy, fz, 1 - fz)
    first, last = 0, 0
    for number, cells in ((cx, shape[0]), (cy, shape[1]), (cz, shape[2])):
        first = max(first, -number, number - cells + 1)
        last = max(last, number, cells - 1 - number)
    for shell in range(first, last + 1):
        reach = (shell - 1 + inside) * cell
        if shell > 0 and reach * reach >= best:
            break
        for jx in range(max(cx - shell, 0), min(cx + shell, shape[0] - 1) + 1):
            gx = max(jx - cx - fx, fx - (jx - cx) - 1, 0.0) * cell
            if gx * gx >= best:
                continue
            for jy in range(max(cy - shell, 0), min(cy + shell, shape[1] - 1) + 1):
                gy = max(jy - cy - fy, fy - (jy - cy) - 1, 0.0) * cell
                if gx * gx + gy * gy >= best:
                    continue
                column = (jx * shape[1] + jy) * shape[2]
                in_face = abs(jx - cx) == shell or abs(jy - cy) == shell
                for run in range(1 if in_face else 2):
                    begin, end = max(cz - shell, 0), min(cz + shell, shape[2] - 1)
                    if not in_face:  # only the column's two ends are of this shell
                        begin = end = cz - shell if run == 0 else cz + shell
                        if begin < 0 or begin >= shape[2]:
                            continue
                    rows = starts[column + begin], starts[column + end + 1]
                    best, found = _nearest_in(points, rows[0], rows[1], x, y, z, best, found)
    return best, found
