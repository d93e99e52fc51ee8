"""Array types, and sums by group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


def group_sum(values: Array, groups: NDArray[np.int64], count: int) -> Array:
    """Return sums (count, ...) of the rows of an array by group.

    Args:
        values: (M, ...).
        groups: (M,) number of every row's group.
        count: number of groups.
    """
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    result = np.zeros((count, flat.shape[1]))
    filled = np.flatnonzero(sizes)
    if len(filled):
        starts = (np.cumsum(sizes) - sizes)[filled]
        result[filled] = np.add.reduceat(flat[order], starts, axis=0)
    return result.reshape(count, *values.shape[1:])
