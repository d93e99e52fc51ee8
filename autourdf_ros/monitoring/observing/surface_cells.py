"""Small cells of the model's surface, in which its shape may be in error by an amount of its own.

A mesh is off by a millimetre here and there, always at the same place of the link, whatever the
robot does. What a look tells of a cell are sums of its points' distances, so that the cells' errors
can be learnt with all else, and taken away afterwards, without the points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import group_sum

Array = NDArray[np.float64]

CELL = 0.02  # m
_HALF = 1 << 15  # cells either side of the origin


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sums of one look's weighted points in M cells.

    keys: (M,) sorted. segment: (M,) that each is on. rows: (M, 6) of the points' rows, by which a
    segment's twist changes a distance. distances: (M,) m. weights: (M,).
    """

    keys: NDArray[np.int64]
    segment: NDArray[np.int64]
    rows: Array
    distances: Array
    weights: Array

    def of_segments(self, values: Array, count: int) -> Array:
        """(count, ...) sums of values (M, ...) over each of so many segments."""
        return group_sum(values, self.segment, count)


def cell_keys(segments: NDArray[np.int64], places: Array, normals: Array) -> NDArray[np.int64]:
    """(N,) keys of the cells of places (N, 3) on segments (N,) with unit normals (N, 3).

    The two sides of a thin plate are two cells.
    """
    voxels = np.clip(np.floor(places / CELL).astype(np.int64) + _HALF, 0, 2 * _HALF - 1)
    face = np.abs(normals).argmax(axis=1)
    side = normals[np.arange(len(normals)), face] > 0
    keys = (segments << 3) | (2 * face + side)
    for axis in range(3):
        keys = (keys << 16) | voxels[:, axis]
    return np.asarray(keys, np.int64)


def cell_sums(
    segments: NDArray[np.int64],
    places: Array,
    normals: Array,
    rows: Array,
    distances: Array,
    weights: Array,
) -> CellSums:
    """Of (N,) points at `places` on the surface, in the frames of their bodies at the reference."""
    keys, inverse = np.unique(cell_keys(segments, places, normals), return_inverse=True)
    columns = [weights[:, None] * rows, (weights * distances)[:, None], weights[:, None]]
    sums = group_sum(np.concatenate(columns, axis=1), inverse, len(keys))
    return CellSums(keys, keys >> 51, sums[:, :6], sums[:, 6], sums[:, 7])


NO_CELLS = CellSums(
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 6)), np.zeros(0), np.zeros(0)
)


@dataclass(frozen=True, eq=False)
class SurfaceOffsets:
    """How far the true surface is outside the model's, by cell.

    keys: (M,) sorted. offsets: (M,) m, with variances: (M,) m². unknown: m², of a cell that is none
    of these, whose offset is 0.
    """

    keys: NDArray[np.int64]
    offsets: Array
    variances: Array
    unknown: float

    def at(self, keys: NDArray[np.int64]) -> tuple[Array, Array]:
        """((N,) offsets, (N,) variances) of cells."""
        if not len(self.keys):
            return np.zeros(len(keys)), np.full(len(keys), self.unknown)
        places = np.searchsorted(self.keys, keys).clip(0, len(self.keys) - 1)
        known = self.keys[places] == keys
        return (
            np.where(known, self.offsets[places], 0.0),
            np.where(known, self.variances[places], self.unknown),
        )
