"""Choose even subsets of point clouds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def farthest_point_indices(points: NDArray, count: int) -> NDArray[np.int64]:
    """Return indices of `count` points spread evenly: each the farthest from those before.

    Eldar et al., The farthest point strategy for progressive image sampling, 1997.
    """
    if len(points) <= count:
        return np.arange(len(points))
    axes = np.ascontiguousarray(points.T, np.float32)
    distance = np.full(len(points), np.inf, np.float32)
    chosen = np.zeros(count, np.int64)
    for i in range(1, count):
        last = chosen[i - 1]
        offset = axes - axes[:, last, None]
        np.square(offset, out=offset)
        np.minimum(distance, offset[0] + offset[1] + offset[2], out=distance)
        chosen[i] = distance.argmax()
    return chosen
