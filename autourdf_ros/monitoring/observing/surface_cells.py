"""Small cells of the model's surface, each with an unknown shape error of its own.

A mesh deviates by about a millimetre here and there, always at the same place of the link in every
configuration. An observation gives sums of its points' distances by cell, so that the cells' errors
can be estimated together with all else and removed afterwards, without the points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import group_sum

Array = NDArray[np.float64]

_HALF = 1 << 15  # cells either side of the origin


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sums of one observation's weighted points in M cells.

    Attributes:
        keys: (M,) sorted keys of the cells.
        segment: (M,) segment of each cell.
        rows: (M, 6) sums of the points' rows; a row times a segment's twist is the change of a
            distance.
        distances: (M,) sums of the distances (m).
        weights: (M,) sums of the weights.
    """

    keys: NDArray[np.int64]
    segment: NDArray[np.int64]
    rows: Array
    distances: Array
    weights: Array

    def of_segments(self, values: Array, count: int) -> Array:
        """Sum values (M, ...) over each of `count` segments; returns (count, ...)."""
        return group_sum(values, self.segment, count)


def cell_keys(
    segments: NDArray[np.int64], places: Array, normals: Array, side: float
) -> NDArray[np.int64]:
    """Return the (N,) keys of the cells of points on the surface.

    The two sides of a thin plate are two cells.

    Args:
        segments: (N,) segment of each point.
        places: (N, 3) at the reference (m).
        normals: (N, 3) unit normals.
        side: Of a cell (m).
    """
    voxels = np.clip(np.floor(places / side).astype(np.int64) + _HALF, 0, 2 * _HALF - 1)
    face = np.abs(normals).argmax(axis=1)
    outer = normals[np.arange(len(normals)), face] > 0
    keys = (segments << 3) | (2 * face + outer)
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
    side: float,
) -> CellSums:
    """Sum N points by cell.

    Args:
        segments: (N,) segment of each point.
        places: (N, 3) on the surface, in the frames of their bodies at the reference (m).
        normals: (N, 3) unit normals there.
        rows: (N, 6) derivatives of the distances by the segments' twists.
        distances: (N,) m.
        weights: (N,).
        side: Of a cell (m).
    """
    keys, inverse = np.unique(cell_keys(segments, places, normals, side), return_inverse=True)
    columns = [weights[:, None] * rows, (weights * distances)[:, None], weights[:, None]]
    sums = group_sum(np.concatenate(columns, axis=1), inverse, len(keys))
    return CellSums(keys, keys >> 51, sums[:, :6], sums[:, 6], sums[:, 7])


@dataclass(frozen=True, eq=False)
class SurfaceOffsets:
    """How far the true surface is outside the model's surface, by cell.

    Attributes:
        keys: (M,) sorted keys of the cells.
        offsets: (M,) m.
        variances: (M,) m².
        unknown: Variance of any other cell (m²), whose offset is 0.
    """

    keys: NDArray[np.int64]
    offsets: Array
    variances: Array
    unknown: float

    def at(self, keys: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the (N,) offsets (m) and the (N,) variances (m²) of cells."""
        if not len(self.keys):
            return np.zeros(len(keys)), np.full(len(keys), self.unknown)
        places = np.searchsorted(self.keys, keys).clip(0, len(self.keys) - 1)
        known = self.keys[places] == keys
        return (
            np.where(known, self.offsets[places], 0.0),
            np.where(known, self.variances[places], self.unknown),
        )
