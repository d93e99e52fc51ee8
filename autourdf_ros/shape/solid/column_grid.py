"""Columns along z over a box, from cube to cube of a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_GOLDEN = np.array([0.7548776662466927, 0.5698402909980532])
"""Steps of the evenest known sequence in a square: powers of the root of x³ = x + 1."""


@dataclass(frozen=True)
class ColumnGrid:
    """Columns along z over a box of cubes.

    Attributes:
        origin: (3,) lowest corner (m).
        cell: Side of a cube (m).
        shape: Cubes along x, y and z.
        per_side: Columns along a side of a cube.
    """

    origin: Array
    cell: float
    shape: tuple[int, int, int]
    per_side: int

    @property
    def step(self) -> float:
        """Side of the square of a column (m)."""
        return self.cell / self.per_side

    @property
    def columns(self) -> int:
        """How many there are."""
        return self.shape[0] * self.shape[1] * self.per_side**2

    def starts(self) -> Array:
        """Return where columns stand (a, b, 2), from the origin.

        Each stands elsewhere in its square, by a sequence that fills squares evenly: a grid would
        measure walls along it wrongly, and hit the edges of meshes that are symmetric about it.
        """
        places = np.indices([count * self.per_side for count in self.shape[:2]])
        squares = places.transpose(1, 2, 0)
        numbers = np.arange(1, self.columns + 1).reshape(*squares.shape[:2], 1)
        return self.step * (squares + (_GOLDEN * numbers) % 1.0)


def column_grid(bounds: Array, cell: float, per_side: int) -> ColumnGrid:
    """Return the grid over a box, lowest and highest corner (2, 3), with a margin of a cube."""
    low, high = bounds
    counts = np.ceil((high - low) / cell).astype(int) + 2
    origin = (low + high) / 2 - counts * cell / 2
    return ColumnGrid(origin, cell, (int(counts[0]), int(counts[1]), int(counts[2])), per_side)
