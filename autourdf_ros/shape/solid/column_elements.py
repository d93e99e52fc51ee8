"""Gather intervals of columns into cubic elements: volumes and moments, exact along columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.shape.solid.column_crossings import Intervals
from autourdf_ros.shape.solid.column_grid import ColumnGrid

Array = NDArray[np.float64]


def column_elements(grid: ColumnGrid, inside: Intervals) -> tuple[Array, Array, Array]:
    """Return centres (n, 3), volumes (n,) and second moments (n, 3, 3) of the cubes' contents."""
    columns, starts, ends = _split(inside, grid.cell)
    step = grid.step
    row, place = np.divmod(columns, grid.shape[1] * grid.per_side)
    middles = (starts + ends) / 2
    lengths = ends - starts
    height = np.floor(middles / grid.cell).astype(int)
    number = (row // grid.per_side * grid.shape[1] + place // grid.per_side) * grid.shape[2]
    points = grid.origin + np.column_stack([step * (row + 0.5), step * (place + 0.5), middles])
    own = np.zeros((len(points), 3))
    own[:, :2] = step**2 / 12
    own[:, 2] = lengths**2 / 12
    return _gathered(number + height, points, step**2 * lengths, own)


def _split(inside: Intervals, cell: float) -> tuple[NDArray[np.int64], Array, Array]:
    """Intervals cut where they cross from cube to cube."""
    first = np.floor(inside.starts / cell).astype(int)
    last = np.floor(inside.ends / cell).astype(int)
    counts = last - first + 1
    which = np.repeat(np.arange(len(counts)), counts)
    level = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + first[which]
    starts = np.maximum(inside.starts[which], level * cell)
    ends = np.minimum(inside.ends[which], (level + 1) * cell)
    kept = ends > starts
    return inside.columns[which][kept], starts[kept], ends[kept]


def _gathered(
    numbers: NDArray[np.int64], points: Array, volumes: Array, spreads: Array
) -> tuple[Array, Array, Array]:
    """Boxes gathered by number; spreads (m, 3) are the mean squares about each box's own centre."""
    _, groups = np.unique(numbers, return_inverse=True)
    total = np.bincount(groups, volumes).astype(float)
    centres = np.column_stack(
        [np.bincount(groups, volumes * points[:, axis]) / total for axis in range(3)]
    )
    offsets = points - centres[groups]
    moments = np.empty((len(total), 3, 3))
    for i in range(3):
        for j in range(i, 3):
            product = offsets[:, i] * offsets[:, j] + (spreads[:, i] if i == j else 0.0)
            moments[:, i, j] = moments[:, j, i] = np.bincount(groups, volumes * product)
    return centres, total, moments
