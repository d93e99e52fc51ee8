"""Checks whether a straight line in joint space is free, everywhere on it and not only at samples.

When the joints move, the distance of two solids changes by no more than a bound. Solids that are
farther apart than the bound in the middle of a line are apart on the whole line; otherwise its two
halves are checked. Source: Schwarzer, Saha and Latombe, Exact Collision Checking of Robot Paths,
2002.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

RESOLUTION = 0.004
"""Largest distance (m) by which two solids may come too near unnoticed between two checks."""


class Distances(Protocol):
    """Pairwise distances of solids as a function of joint values; see `LinkDistances`."""

    margins: NDArray[np.float64]

    def bounds(self, move: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (P,) bounds (m) of the change of each pair's distance in a (J,) straight move."""

    def nearer(
        self, values: NDArray[np.float64], enough: NDArray[np.float64], asked: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return (A,) distances (m) of the pairs `asked`, or lower bounds that are `enough` (m)."""


def first_conflict(
    distances: Distances,
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    moved_only: bool = False,
) -> tuple[int, NDArray[np.float64]] | None:
    """Return the first pair that comes too near on a line of joint space.

    Args:
        distances: of the pairs.
        start: (J,) joint values at the start of the line (rad or m).
        end: (J,) joint values at its end.
        moved_only: whether to check only pairs whose distance the line changes.

    Returns:
        The number of the pair and the (J,) joint values at which it is too near, or None where the
        line is free.
    """
    whole = distances.bounds(end - start)
    pairs = np.flatnonzero(whole > 0) if moved_only else np.arange(len(whole))
    # Halves of the line, and the pairs that are not known to be free on them; the earlier on top.
    waiting = [(0.0, 1.0, pairs)]
    while waiting:
        low, high, asked = waiting.pop()
        middle = (low + high) / 2
        values = start + middle * (end - start)
        change, margins = (high - low) / 2 * whole[asked], distances.margins[asked]
        gaps = distances.nearer(values, margins + change, asked) - margins
        unsure = gaps <= change
        near = unsure & (gaps <= 0.0)
        if near.any():
            return int(asked[np.argmax(near)]), values
        unsure &= change > RESOLUTION
        if unsure.any():
            waiting += [(middle, high, asked[unsure]), (low, middle, asked[unsure])]
    return None
