"""Find joints that leap from one frame to the next, where others go on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

FARTHER = 6.0  # times what nine of ten steps of all revolute joints stay below
LEAST_LEAP = np.radians(60.0)  # rad; over steps as large no link is tracked


def leaps_of(
    values: Array, owners: NDArray[np.int64], used: NDArray[np.bool_], revolute: NDArray[np.bool_]
) -> Array:
    """Return how far every joint leaps at most (J,) in rad; 0 where none does, or it slides.

    A whole turn is a leap, too: joint values go on from frame to frame.

    Args:
        values: (F, J) of the joints.
        owners: (F,) sequence of every frame.
        used: (F,) whether a frame is an inlier.
        revolute: (J,) whether a joint turns.
    """
    beside = used[1:] & used[:-1] & (owners[1:] == owners[:-1])
    steps = np.abs(np.diff(values, axis=0))[beside] * revolute
    if not steps.size or not revolute.any():
        return np.zeros(values.shape[1])
    least = max(FARTHER * float(np.quantile(steps[:, revolute], 0.9)), LEAST_LEAP)
    farthest = steps.max(axis=0)
    return np.where(farthest > least, farthest, 0.0)
