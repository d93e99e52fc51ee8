"""Noise of points, and the errors that they share, which no number of points averages out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CORRELATED = 0.05
SYSTEMATIC = 0.001  # m


@dataclass(frozen=True)
class NoiseLevel:
    """Noise of C cameras and S segments.

    Attributes:
        point: (C,) standard deviation of a point along the normal (m).
        correlated: (C, S) share of its variance that all points of a segment in one observation
            have in common: n of them count as n / (1 + n correlated).
        systematic: (C, S) root mean square (m) of the error that stays the same throughout a window
            and differs in the next.
    """

    point: NDArray[np.float64]
    correlated: NDArray[np.float64]
    systematic: NDArray[np.float64]


def assumed_noise(point: NDArray[np.float64], segments: int) -> NoiseLevel:
    """Return the noise that is assumed before it is measured, with point noise (C,) in m."""
    every = np.ones((len(point), segments))
    return NoiseLevel(point, CORRELATED * every, SYSTEMATIC * every)
