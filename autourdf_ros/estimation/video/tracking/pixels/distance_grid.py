"""Signed distance to a body's surface on a grid: for millions of look-ups a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import open3d as o3d
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import zoom
from scipy.spatial import cKDTree

from autourdf_ros.data.video.video_shape import SeenSides
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh

CELLS = 1_200_000
"""Of a grid (resource bound: 5 MB)."""
MARGIN = 0.15
"""Space about the body, in its greatest extent."""
WALL = 4.0
"""Behind the sides that were seen, in a pixel's width: more than the noise of depths."""
DISCS = 4
"""Nearest ones of a shell, one of which a place is nearest to."""
COARSE = 4
"""Cells along a side of those that are measured first; only near the surface all are."""


@dataclass(frozen=True)
class DistanceGrid:
    """Signed distance to a surface, negative within, linear between the nodes.

    Attributes:
        values: (X, Y, Z) float32 (m).
        origin: (3,) place of the first node in the body's frame (m).
        cell: Distance of the nodes (m).
    """

    values: NDArray[np.float32]
    origin: Array
    cell: float

    def __call__(self, points: Array) -> Array:
        """Return distances (N,) of points (N, 3) in the body's frame; infinite off the grid."""
        return np.asarray(_distances(self.values, self.origin, self.cell, points))


def distance_grid(surface: SurfaceMesh, cells: int = CELLS) -> DistanceGrid:
    """Return the grid of a closed surface.

    Args:
        surface: In the body's frame (m).
        cells: Of the grid, about (resource bound).
    """
    return _grid(np.asarray(surface.vertices, float), _SignedDistance(surface), cells)


def shell_grid(sides: SeenSides, cells: int = CELLS) -> DistanceGrid:
    """Return the grid of a shell: what was seen of a body, with `WALL` pixels behind it.

    Args:
        sides: Of the body.
        cells: Of the grid, about (resource bound).
    """
    return _grid(sides.points, _ShellDistance(sides), cells)


def _grid(points: Array, measure: Callable[[Array], Array], cells: int) -> DistanceGrid:
    """The grid about points (N, 3), of a function from places (..., 3) to distances (...)."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * float((high - low).max())
    low, sizes = low - margin, high - low + 2 * margin
    cell = float((sizes.prod() / cells) ** (1 / 3))
    counts = np.ceil(sizes / cell / COARSE).astype(int) * COARSE + 1
    steps = [low[k] + cell * np.arange(counts[k]) for k in range(3)]
    few = measure(_nodes([step[::COARSE] for step in steps]))
    values = zoom(few, (counts / np.array(few.shape)), order=1, grid_mode=False)
    near = np.abs(values) < COARSE * cell * np.sqrt(3)
    values[near] = measure(_nodes(steps)[near])
    return DistanceGrid(values.astype(np.float32), low, cell)


def _nodes(steps: list[Array]) -> Array:
    return np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1)


class _SignedDistance:
    """Exact signed distances to a mesh."""

    def __init__(self, surface: SurfaceMesh) -> None:
        self._scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        self._scene.add_triangles(
            o3d.core.Tensor.from_numpy(np.ascontiguousarray(surface.vertices, np.float32)),
            o3d.core.Tensor.from_numpy(np.ascontiguousarray(surface.triangles, np.uint32)),
        )

    def __call__(self, points: Array) -> Array:
        """Of points (..., 3): (...)."""
        asked = o3d.core.Tensor.from_numpy(np.ascontiguousarray(points, np.float32))
        return np.asarray(self._scene.compute_signed_distance(asked, nthreads=1).numpy(), float)


class _ShellDistance:
    """Signed distances to discs with a wall behind them, one about each point.

    A disc is as wide as a pixel; from the middle of its wall, `WALL / 2` pixels behind the point,
    the sign changes on both sides. Beyond the discs' rims nothing is inside.
    """

    def __init__(self, sides: SeenSides) -> None:
        self._sides = sides
        self._tree = cKDTree(sides.points)

    def __call__(self, points: Array) -> Array:
        """Of points (..., 3): (...)."""
        sides, half = self._sides, WALL / 2 * self._sides.width
        places = points.reshape(-1, 3)
        near = self._tree.query(places, k=min(DISCS, len(sides.points)))[1]
        away = places[:, None] - sides.points[near.reshape(len(places), -1)]
        normals = sides.normals[near.reshape(len(places), -1)]
        above = np.einsum("nki,nki->nk", away, normals)
        across = np.sqrt(np.maximum(np.einsum("nki,nki->nk", away, away) - above**2, 0.0))
        height, rim = np.abs(above + half) - half, across - sides.width / 2
        beyond = across > sides.width / np.sqrt(2)  # pixels are squares: discs leave no gaps
        distances = np.where(beyond, np.hypot(np.maximum(height, 0.0), rim), height)
        return np.asarray(distances.min(axis=1).reshape(points.shape[:-1]))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def on_grid(values, origin, cell, x, y, z):  # type: ignore[no-untyped-def]
    """Return whether a point is on the grid, its distance and the distance's gradient."""
    u, v, w = (x - origin[0]) / cell, (y - origin[1]) / cell, (z - origin[2]) / cell
    i, j, k = int(np.floor(u)), int(np.floor(v)), int(np.floor(w))
    nx, ny, nz = values.shape
    if i < 0 or j < 0 or k < 0 or i >= nx - 1 or j >= ny - 1 or k >= nz - 1:
        return False, np.inf, 0.0, 0.0, 0.0
    u -= i
    v -= j
    w -= k
    a, b = values[i, j, k], values[i, j, k + 1]
    c, d = values[i, j + 1, k], values[i, j + 1, k + 1]
    e, f = values[i + 1, j, k], values[i + 1, j, k + 1]
    g, h = values[i + 1, j + 1, k], values[i + 1, j + 1, k + 1]
    ab, cd, ef, gh = a + w * (b - a), c + w * (d - c), e + w * (f - e), g + w * (h - g)
    low, high = ab + v * (cd - ab), ef + v * (gh - ef)
    dw = (1 - u) * ((1 - v) * (b - a) + v * (d - c)) + u * ((1 - v) * (f - e) + v * (h - g))
    dv = (1 - u) * (cd - ab) + u * (gh - ef)
    return True, low + u * (high - low), (high - low) / cell, dv / cell, dw / cell


@njit(cache=True, nogil=True, error_model="numpy")
def _distances(values, origin, cell, points):  # type: ignore[no-untyped-def]
    found = np.empty(len(points))
    for n in range(len(points)):
        found[n] = on_grid(values, origin, cell, points[n, 0], points[n, 1], points[n, 2])[1]
    return found
