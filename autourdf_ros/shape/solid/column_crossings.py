"""Where columns are inside closed surfaces that may overlap: exact along the columns.

A column enters and leaves a surface; the winding number along it is the running sum of the signs
(Jacobson, Kavan, Sorkine-Hornung, SIGGRAPH 2013). Where it is positive the column is inside the
union of the surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from autourdf_ros.shape.solid.column_grid import ColumnGrid

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_PROBES = 15  # corners of a component that show whether it lies inside others: a resource bound
_BESIDE = 1e-6  # of the size, by which probes stand beside the corners that they probe


@dataclass(frozen=True)
class Intervals:
    """The parts of columns that lie inside.

    Attributes:
        columns: (m,) number of the column of each.
        starts: (m,) height above the grid's origin (m).
        ends: (m,) likewise.
        leaks: Share of the columns that cross the surface and never leave, or never entered.
    """

    columns: Integers
    starts: Array
    ends: Array
    leaks: float


def intervals_inside(mesh: trimesh.Trimesh, grid: ColumnGrid) -> Intervals:
    """Return where columns are inside a mesh: in the union of its components, without cavities.

    A component whose triangles face inward is a cavity where it lies inside others; else it is
    turned.

    Args:
        mesh: Of one or more closed components, which may overlap.
        grid: Of the columns, over the whole mesh.
    """
    corners = np.asarray(mesh.triangles, float) - grid.origin
    columns, heights, triangles, steps = _crossings(corners, grid.starts(), grid.step)
    steps = steps * _facing(mesh)[triangles]
    order = np.lexsort((heights, columns))
    columns, heights, steps = columns[order], heights[order], steps[order]
    balance = np.bincount(columns, steps, minlength=grid.columns)
    tight = balance[columns] == 0
    leaks = len(np.unique(columns[~tight])) / max(len(np.unique(columns)), 1)
    columns, heights, steps = columns[tight], heights[tight], steps[tight]
    inside = np.cumsum(steps)[:-1] > 0
    return Intervals(columns[:-1][inside], heights[:-1][inside], heights[1:][inside], leaks)


def _facing(mesh: trimesh.Trimesh) -> Integers:
    """(T,) 1, or -1 for the triangles of components that are inside out."""
    faces = np.asarray(mesh.faces)
    count = len(mesh.vertices)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
    labels = connected_components(graph, directed=False)[1][faces[:, 0]]
    corners = np.asarray(mesh.triangles, float) - mesh.vertices.mean(0)
    signed = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volumes = np.bincount(labels, signed)
    signs = np.ones(len(faces), int)
    for component in np.flatnonzero(volumes < 0):
        own = labels == component
        outward = np.where(volumes[labels] < 0, -1, 1)
        if not _is_cavity(corners, own, outward):
            signs[own] = -1
    return signs


def _is_cavity(corners: Array, own: NDArray[np.bool_], outward: Integers) -> bool:
    """Whether most corners of a component lie inside the others."""
    points = corners[own].reshape(-1, 3)
    chosen = points[np.linspace(0, len(points) - 1, _PROBES).astype(int)]
    chosen = chosen + _BESIDE * np.ptp(points, axis=0) * (chosen < points.mean(0))
    others, turned = corners[~own], outward[~own]
    winding = [int((_steps_above(others, point) * turned).sum()) for point in chosen]
    return bool(np.median(winding) < 0)


def _steps_above(corners: Array, point: Array) -> Integers:
    """(T,) the step of the winding number at each triangle that is above a point, else 0."""
    first, second, third = (corners[:, k] - point for k in range(3))
    areas = np.stack([_cross(second, third), _cross(third, first), _cross(first, second)])
    whole = areas.sum(0)
    hit = ((areas > 0).all(0) | (areas < 0).all(0)) & (whole != 0)
    weights = areas[:, hit] / whole[hit]
    heights = np.stack([first[hit, 2], second[hit, 2], third[hit, 2]])
    steps = np.zeros(len(corners), int)
    steps[np.flatnonzero(hit)] = np.where(
        (weights * heights).sum(0) > 0, -np.sign(whole[hit]).astype(int), 0
    )
    return steps


def _cross(first: Array, second: Array) -> Array:
    return first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]


@njit(cache=True, nogil=True)
def _crossings(
    corners: Array, starts: Array, step: float
) -> tuple[Integers, Array, Integers, Integers]:
    """Crossings of triangles (T, 3, 3) and columns (a, b, 2): column, height, triangle, step.

    A step is 1 where a column enters through the triangle, and -1 where it leaves.
    """
    rows, places = starts.shape[0], starts.shape[1]
    room = 4 * rows * places + 16
    columns, heights = np.empty(room, np.int64), np.empty(room)
    triangles, steps = np.empty(room, np.int64), np.empty(room, np.int64)
    found = 0
    for t in range(len(corners)):
        a, b, c = corners[t, 0], corners[t, 1], corners[t, 2]
        whole = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if whole == 0.0:
            continue
        low_x = max(int(min(a[0], b[0], c[0]) / step), 0)
        high_x = min(int(max(a[0], b[0], c[0]) / step), rows - 1)
        low_y = max(int(min(a[1], b[1], c[1]) / step), 0)
        high_y = min(int(max(a[1], b[1], c[1]) / step), places - 1)
        for i in range(low_x, high_x + 1):
            for j in range(low_y, high_y + 1):
                x, y = starts[i, j, 0], starts[i, j, 1]
                first = (b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)
                second = (c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)
                third = (a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)
                if whole > 0.0:
                    if first < 0.0 or second < 0.0 or third < 0.0:
                        continue
                elif first > 0.0 or second > 0.0 or third > 0.0:
                    continue
                if found == room:
                    room *= 2
                    columns = _lengthened(columns, room)
                    heights = _lengthened(heights, room)
                    triangles = _lengthened(triangles, room)
                    steps = _lengthened(steps, room)
                columns[found] = i * places + j
                heights[found] = (first * a[2] + second * b[2] + third * c[2]) / whole
                triangles[found] = t
                steps[found] = -1 if whole > 0.0 else 1
                found += 1
    return columns[:found], heights[:found], triangles[:found], steps[:found]


@njit(cache=True, nogil=True)
def _lengthened(values: NDArray[np.generic], room: int) -> NDArray[np.generic]:
    longer = np.empty(room, values.dtype)
    longer[: len(values)] = values
    return longer
