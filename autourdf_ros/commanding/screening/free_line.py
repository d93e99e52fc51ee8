"""Whether a straight line in joint space is free, and not only some points on it.

The distance of two things changes by no more than a bound when the joints move: where they are
farther apart than that in the middle of a line, they are apart on all of it; otherwise its halves
are looked at. Source: Schwarzer, Saha and Latombe, Exact Collision Checking of Robot Paths, 2002.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

RESOLUTION = 0.004
"""m: what two things can come nearer than they may, between two points looked at, at most."""


class Distances(Protocol):
    """See `LinkDistances`."""

    margins: NDArray[np.float64]

    def bounds(self, move: NDArray[np.float64]) -> NDArray[np.float64]:
        """(P,) m by which each pair's distance changes at most in a (J,) straight move."""

    def nearer(
        self, values: NDArray[np.float64], enough: NDArray[np.float64], asked: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """(A,) distances (m) of the pairs `asked`, or lower bounds that are `enough`."""


def first_conflict(
    distances: Distances,
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    moved_only: bool = False,
) -> tuple[int, NDArray[np.float64]] | None:
    """The pair that comes too near soonest on the line from `start` to `end`, (J,) each.

    moved_only: whether pairs count no more whose distance the line does not change.
    Returns its number and the (J,) joint values at which it was seen, or None where all is free.
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
