"""How far points are off together, which no number of points averages out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CORRELATED = 0.05
SYSTEMATIC = 0.001  # m


@dataclass(frozen=True)
class NoiseLevel:
    """Of C cameras and S segments.

    point: (C,) standard deviation of a point along the normal (m). correlated: (C, S) share of its
    variance that all points of a segment in one look have in common, so that n of them tell no more
    than n / (1 + n correlated) would. systematic: (C, S) root mean square (m) of what stays the
    same throughout a window and is another in the next.
    """

    point: NDArray[np.float64]
    correlated: NDArray[np.float64]
    systematic: NDArray[np.float64]


def assumed_noise(point: NDArray[np.float64], segments: int) -> NoiseLevel:
    """What is assumed before it was measured. point: (C,) m."""
    every = np.ones((len(point), segments))
    return NoiseLevel(point, CORRELATED * every, SYSTEMATIC * every)
