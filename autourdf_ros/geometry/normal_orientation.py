"""Turn the normals of a link's surface outward."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree

from autourdf_ros.geometry.arrays import Array

NEIGHBOURS = 12
CANDIDATES = 3 * NEIGHBOURS
THIN_PENALTY = 10.0  # of a step along the normal, which may cross a thin wall (Piazza et al., 2020)


def outward(points: Array, normals: Array) -> Array:
    """Turn the normals of a surface to one side, and then all of them outward.

    Along a tree of neighbours that steps where the normals agree best (Hoppe et al., SIGGRAPH
    1992). Outward is where they point away from the middle, on average.

    Args:
        points: (N, 3).
        normals: (N, 3) unit.
    """
    if len(points) <= NEIGHBOURS:
        return _away_from_middle(points, normals)
    graph = _bridged(_step_costs(points, normals), points, normals)
    order, parents = breadth_first_order(minimum_spanning_tree(graph), 0, directed=False)
    parents[order[0]] = order[0]
    signs = np.where(np.einsum("ni,ni->n", normals, normals[parents]) < 0, -1.0, 1.0)
    signs[order[0]] = 1.0
    while (parents != order[0]).any():  # twice as far up the tree every time
        signs, parents = signs * signs[parents], parents[parents]
    turned = signs[:, None] * normals
    agreement = np.einsum("ni,ni->n", turned, points - points.mean(axis=0)).sum()
    return turned if agreement >= 0 else -turned


def _step_costs(points: Array, normals: Array) -> csr_matrix:
    """Costs (N, N), sparse, of stepping from a point to its neighbours along the surface."""
    count = min(CANDIDATES + 1, len(points))
    distances, near = cKDTree(points).query(points, k=count, workers=-1)
    offsets = points[near] - points[:, None]
    across = np.abs(np.einsum("nki,ni->nk", offsets, normals))
    nearest = np.argsort(distances + THIN_PENALTY * across, axis=1)[:, : NEIGHBOURS + 1]
    rows = np.repeat(np.arange(len(points)), nearest.shape[1])
    columns = np.take_along_axis(near, nearest, axis=1).ravel()
    apart = rows != columns
    rows, columns = rows[apart], columns[apart]
    graph = csr_matrix((_costs(normals, rows, columns), (rows, columns)), (len(points),) * 2)
    return graph.maximum(graph.T)


def _costs(normals: Array, first: NDArray[np.int64], second: NDArray[np.int64]) -> Array:
    """Costs (E,) of steps; not zero, which a sparse graph takes for no step."""
    return 1 + 1e-9 - np.abs(np.einsum("ni,ni->n", normals[first], normals[second]))


def _bridged(graph: csr_matrix, points: Array, normals: Array) -> csr_matrix:
    """The graph with each piece that is apart joined to the nearest point of another."""
    while True:
        count, pieces = connected_components(graph, directed=False)
        if count == 1:
            return graph
        own = pieces == np.bincount(pieces).argmin()
        inside, outside = np.flatnonzero(own), np.flatnonzero(~own)
        distances, nearest = cKDTree(points[outside]).query(points[inside])
        first = inside[[distances.argmin()]]
        second = outside[nearest[[distances.argmin()]]]
        bridge = csr_matrix((_costs(normals, first, second), (first, second)), graph.shape)
        graph = graph.maximum(bridge).maximum(bridge.T)


def _away_from_middle(points: Array, normals: Array) -> Array:
    if not len(points):
        return normals
    agreement = np.einsum("ni,ni->n", normals, points - points.mean(axis=0))
    return normals * np.where(agreement < 0, -1.0, 1.0)[:, None]
