"""Errors of the segmentation of points into links."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array


def rand_index(estimate: NDArray[np.integer], truth: NDArray[np.integer]) -> float:
    """Return the share of pairs of points on which two labellings (N,) agree: together, or apart.

    It is in [0, 1] and independent of the labels' names; 1 for fewer than two points. Source: Rand,
    Objective criteria for the evaluation of clustering methods, 1971.
    """
    count = len(truth)
    pairs = count * (count - 1) / 2
    if not pairs:
        return 1.0
    _, rows = np.unique(estimate, return_inverse=True)
    _, columns = np.unique(truth, return_inverse=True)
    both = coo_array((np.ones(count), (rows, columns))).tocsr()
    together = _pairs(both.data)
    apart = pairs - _pairs(np.bincount(rows)) - _pairs(np.bincount(columns)) + together
    return float((together + apart) / pairs)


def share_on_right_link(
    estimate: NDArray[np.integer], truth: NDArray[np.integer], bodies: Mapping[int, int]
) -> float:
    """Return the share of points whose estimated link corresponds to their true body.

    Args:
        estimate: (N,) link of every point.
        truth: (N,) true body of every point.
        bodies: True body by estimated link; points of other links count as wrong.
    """
    if not len(truth):
        return 1.0
    translated = np.array([bodies.get(int(label), -1) for label in estimate])
    return float(np.mean(translated == truth))


def _pairs(sizes: NDArray[np.number]) -> float:
    sizes = np.asarray(sizes, float)
    return float(np.sum(sizes * (sizes - 1) / 2))
