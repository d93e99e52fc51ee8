"""Patches of points that no link explains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autourdf_ros.geometry.arrays import Array

UNEXPLAINED = (1.5, 3.0, 4.5)
"""Mean costs of a point and its neighbours; those of good links are at 0.2 to 0.5. Where cameras
see little, patches run into each other at the first, and what is lost stands out at the last."""
LEAST_PATCH = 10
SMALLER = 0.5  # share of the points of a patch's lower level up to which it is tried by itself


def unexplained_patches(
    costs: Array, neighbours: csr_matrix, level: float
) -> list[NDArray[np.int64]]:
    """Return patches of neighbouring points that no link explains, the largest first.

    Args:
        costs: (N,) mean cost of every point (`point_costs`).
        neighbours: (N, N) sparse distances between neighbouring points.
        level: mean cost of a point and its neighbours beyond which it is not explained.
    """
    around = (neighbours > 0).astype(float)
    sums = around @ costs + costs
    mean = sums / (1 + np.asarray(around.sum(axis=1)).ravel())
    hot = np.flatnonzero(mean > level)
    count, owners = connected_components(neighbours[hot][:, hot], directed=False)
    patches = [hot[owners == number] for number in range(count)]
    return sorted((patch for patch in patches if len(patch) >= LEAST_PATCH), key=len, reverse=True)


def nested_patches(
    costs: Array, neighbours: csr_matrix
) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """Yield the levels of `UNEXPLAINED` and their patches, but those like one of a lower level.

    Args:
        costs: (N,) mean cost of every point (`point_costs`).
        neighbours: (N, N) sparse distances between neighbouring points.
    """
    lower: list[NDArray[np.int64]] = []
    for level in UNEXPLAINED:
        patches = unexplained_patches(costs, neighbours, level)
        for patch in patches:
            within = (whole for whole in lower if np.isin(patch[0], whole))
            if len(patch) <= SMALLER * len(next(within, np.tile(patch, 2))):
                yield level, patch
        lower = patches
