"""A room of random texture around robot and cameras: what a real cell shows behind a robot."""

from __future__ import annotations

import numpy as np

from autourdf_ros.geometry.arrays import Array

_SIDES = 2.2  # times the distance from the middle to the farthest camera or point: half an edge
_OCTAVES = (8, 16, 32, 64, 128)  # cells along a wall, from coarse to fine
_TABLE = 257  # random values along each side of the table that cells take theirs from


class TexturedRoom:
    """The walls, floor and ceiling of a cube, lit evenly.

    Each has its own noise of cells of five sizes, interpolated, in two colours.

    Args:
        middle: (3,) of the cube, in the fixed frame (m).
        reach: Distance from there of the farthest camera (m).
        seed: Of the texture.
    """

    def __init__(self, middle: Array, reach: float, seed: int) -> None:
        self._middle, self._half = np.asarray(middle, float), _SIDES * reach
        rng = np.random.default_rng(seed)
        self._table = rng.uniform(-1, 1, (_TABLE, _TABLE))
        self._shifts = rng.integers(0, _TABLE, (6, len(_OCTAVES), 2))
        self._tints = rng.uniform(0.2, 1.0, (6, 2, 3))

    def colors(self, origin: Array, directions: Array) -> Array:
        """Return the colours (N, 3) that rays see, in [0, 255].

        Args:
            origin: (3,) of all rays, in the room (m).
            directions: (N, 3) of any length.
        """
        start = origin - self._middle
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = (np.copysign(self._half, directions) - start) / directions
        reached = np.where(np.isfinite(reached), reached, np.inf)
        axis = reached.argmin(axis=1)
        rows = np.arange(len(axis))
        places = start + reached[rows, axis, None] * directions
        side = 2 * axis + (directions[rows, axis] > 0)
        others = np.array([[1, 2], [0, 2], [0, 1]])[axis]
        flat = np.take_along_axis(places, others, axis=1) / (2 * self._half) + 0.5
        share = 0.5 + 0.5 * np.tanh(1.5 * self._noise(flat, side))[:, None]
        tints = self._tints[side]
        return 255 * np.asarray(share * tints[:, 0] + (1 - share) * 0.3 * tints[:, 1])

    def _noise(self, flat: Array, side: Array) -> Array:
        """Return the sum of all octaves (N,) at places (N, 2) in [0, 1] of sides (N,)."""
        total = np.zeros(len(flat))
        for number, cells in enumerate(_OCTAVES):
            where = flat * cells
            low = np.floor(where).astype(np.int64)
            part = where - low
            low += self._shifts[side, number]
            (row, column), (next_row, next_column) = low.T % _TABLE, (low.T + 1) % _TABLE
            upper = self._between(row, column, next_column, part[:, 1])
            lower = self._between(next_row, column, next_column, part[:, 1])
            total += upper + part[:, 0] * (lower - upper)
        return total

    def _between(self, row: Array, column: Array, following: Array, part: Array) -> Array:
        first = self._table[row, column]
        return np.asarray(first + part * (self._table[row, following] - first))
