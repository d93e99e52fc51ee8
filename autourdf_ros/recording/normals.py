"""Normals of a cloud, oriented."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import (
    breadth_first_order,
    connected_components,
    minimum_spanning_tree,
)
from scipy.spatial import KDTree

Points = NDArray[np.floating]


def normals(
    points: Points, viewpoints: Points | None = None, neighbours: int = 16
) -> NDArray[np.float64]:
    """Unit normals (N, 3) of the planes through each point's neighbours.

    viewpoints: (N, 3) the camera that saw each point, or (3,) one camera for all: normals point
    towards it. None: they agree with their neighbours, and point away from the centroid on the
    whole.
    """
    points = np.asarray(points, float)
    if len(points) < 3:
        raise ValueError(f"normals of {len(points)} points; at least 3 are needed")
    _, nearest = KDTree(points).query(points, min(neighbours, len(points)), workers=-1)
    local = points[nearest] - points[nearest].mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh(local.swapaxes(1, 2) @ local)
    directions = vectors[:, :, 0]
    if viewpoints is None:
        return _agreeing(points, directions, neighbours)
    away = (directions * (viewpoints - points)).sum(axis=1) < 0
    return np.where(away[:, None], -directions, directions)


def _agreeing(
    points: Points, directions: NDArray[np.float64], neighbours: int
) -> NDArray[np.float64]:
    """Signs along minimum spanning trees of the neighbour graph (Hoppe et al., 1992)."""
    count = len(points)
    _, nearest = KDTree(points).query(points, min(neighbours, count))
    rows, columns = np.repeat(np.arange(count), nearest.shape[1]), nearest.ravel()
    bends = 1.0 - np.abs((directions[rows] * directions[columns]).sum(axis=1))
    graph = csr_array((bends + 1e-6, (rows, columns)), shape=(count, count))
    tree = minimum_spanning_tree(graph)
    parents = np.arange(count)
    components, labels = connected_components(tree, directed=False)
    for root in np.unique(labels, return_index=True)[1]:
        order, found = breadth_first_order(tree, root, directed=False)
        parents[order[1:]] = found[order[1:]]
    signs = np.where((directions * directions[parents]).sum(axis=1) < 0, -1.0, 1.0)
    # Pointer doubling multiplies the signs along every path to its root in log2(count) steps.
    for _ in range(int(count).bit_length()):
        signs, parents = signs * signs[parents], parents[parents]
    directions = directions * signs[:, None]
    outward = (directions * (points - points.mean(axis=0))).sum(axis=1)
    majority = np.bincount(labels, outward, components)
    return directions * np.where(majority < 0, -1.0, 1.0)[labels, None]
