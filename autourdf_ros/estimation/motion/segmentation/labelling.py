"""Label every point of the reference by the rigid body whose motion explains it best."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.csgraph import connected_components

from autourdf_ros.geometry.arrays import Array, Labels

SMOOTHING = 6.0
SMOOTHING_ITERATIONS = 12


def smooth_labels(costs: Array, neighbours: csr_matrix, smoothing: float = SMOOTHING) -> Labels:
    """Return labels (N,) by mean field on a Potts model over the neighbour graph.

    Krähenbühl and Koltun, NeurIPS 2011, on a sparse graph.

    Args:
        costs: (N, B) of every point under every body.
        neighbours: (N, N) sparse distances between neighbouring points.
        smoothing: cost of a label that differs from all neighbours'.

    Returns:
        Body of every point, -1 where none claims it.
    """
    adjacency = (neighbours > 0).astype(float)
    degree = np.maximum(np.asarray(adjacency.sum(axis=1)).ravel(), 1)
    average = diags(1 / degree) @ adjacency
    claimed = np.isfinite(costs).any(axis=1)
    finite = np.where(np.isfinite(costs), costs, 1e3)
    finite = finite - finite.min(axis=1, keepdims=True)
    belief = np.exp(-finite)
    belief /= belief.sum(axis=1, keepdims=True)
    for _ in range(SMOOTHING_ITERATIONS):
        belief = np.exp(-(finite - smoothing * (average @ belief)))
        belief /= belief.sum(axis=1, keepdims=True)
    return np.where(claimed, belief.argmax(axis=1), -1)


def drop_specks(labels: Labels, neighbours: csr_matrix, least: int) -> Labels:
    """Return labels (N,) where small connected patches take the label around them.

    Args:
        labels: (N,) of the points.
        neighbours: (N, N) sparse distances between neighbouring points.
        least: points of a patch that keeps its label.
    """
    coo = neighbours.tocoo()
    same = labels[coo.row] == labels[coo.col]
    patches = connected_components(
        csr_matrix((np.ones(same.sum()), (coo.row[same], coo.col[same])), neighbours.shape),
        directed=False,
    )[1]
    small = np.bincount(patches)[patches] < least
    result = labels.copy()
    kept = ~small
    border = diags(kept.astype(float))
    votes = (
        (neighbours > 0).astype(float)
        @ border
        @ csr_matrix(
            (np.ones(len(labels)), (np.arange(len(labels)), labels + 1)),
            (len(labels), labels.max() + 2),
        )
    )
    change = small & (np.asarray(votes.sum(axis=1)).ravel() > 0)
    result[change] = votes[np.flatnonzero(change)].toarray().argmax(axis=1) - 1
    return result
