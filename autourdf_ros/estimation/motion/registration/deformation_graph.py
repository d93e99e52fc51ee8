"""A deformation graph on the reference cloud: rigid nodes, their points, their neighbours.

After Sumner et al., Embedded Deformation for Shape Manipulation (SIGGRAPH 2007), with hard
assignment by geodesic distance, so that a finger does not join its neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.block_banded import BandLayout, band_layout
from autourdf_ros.geometry.sampling import farthest_point_indices

NEIGHBOURS = 8
NODES = 150  # of a graph, at most
NODE_POINTS = 30  # of a node, at least, on average
CUT = 4.0  # edges longer than this many point spacings are no surface


@dataclass(frozen=True)
class DeformationGraph:
    """K nodes on N points.

    Attributes:
        centres: (K, 3) metres.
        nodes: (N,) node of every point.
        edges: (E, 2) pairs of nodes whose points touch.
        radius: median edge length (m).
        layout: of the blocks of its equations.
    """

    centres: NDArray[np.float64]
    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]
    radius: float
    layout: BandLayout


def neighbour_graph(
    points: NDArray[np.float64], spacing: float, neighbours: int = NEIGHBOURS, cut: float = CUT
) -> csr_matrix:
    """Return the distances (m) between neighbouring points as a symmetric sparse matrix (N, N).

    Args:
        points: (N, 3).
        spacing: typical distance between neighbouring points.
        neighbours: number of neighbours of a point.
        cut: point spacings beyond which two points are no neighbours.
    """
    distances, indices = cKDTree(points).query(
        points, k=min(neighbours + 1, len(points)), workers=-1
    )
    rows = np.repeat(np.arange(len(points)), distances.shape[1] - 1)
    columns, values = indices[:, 1:].ravel(), distances[:, 1:].ravel()
    keep = values < cut * spacing
    graph = csr_matrix(
        (np.maximum(values[keep], 1e-12), (rows[keep], columns[keep])), (len(points),) * 2
    )
    return graph.maximum(graph.T)


def touching_pairs(labels: NDArray[np.int64], graph: csr_matrix) -> NDArray[np.int64]:
    """Return pairs (E, 2), sorted, of different labels >= 0 that have neighbouring points."""
    coo = graph.tocoo()
    first, second = labels[coo.row], labels[coo.col]
    keep = (first < second) & (first >= 0)
    if not keep.any():
        return np.zeros((0, 2), dtype=np.int64)
    return np.unique(np.stack([first[keep], second[keep]], axis=1), axis=0)


def build_graph(
    points: NDArray[np.float64], spacing: float, count: int | None = None
) -> tuple[DeformationGraph, csr_matrix]:
    """Build a deformation graph on points, and their neighbour graph.

    An edge to the nearest node of another piece bridges pieces that the neighbour graph leaves
    apart: what is seen in part only still moves with the whole at first.

    Args:
        points: (N, 3).
        spacing: typical distance between neighbouring points.
        count: about how many nodes; by default `NODES`, or one for `NODE_POINTS` points.

    Returns:
        The graph, and the neighbour graph (N, N) (`neighbour_graph`).
    """
    if count is None:
        count = max(2, min(NODES, len(points) // NODE_POINTS))
    surface = neighbour_graph(points, spacing)
    seeds = farthest_point_indices(points, count)
    _, _, sources = dijkstra(
        surface, directed=False, indices=seeds, min_only=True, return_predecessors=True
    )
    lost = sources < 0
    if lost.any():
        _, nearest = cKDTree(points[seeds]).query(points[lost])
        sources[lost] = seeds[nearest]
    numbers = np.full(len(points), -1)
    numbers[seeds] = np.arange(len(seeds))
    nodes = numbers[sources]
    sizes = np.bincount(nodes, minlength=len(seeds))
    sums = [np.bincount(nodes, points[:, i], len(seeds)) for i in range(3)]
    centres: NDArray[np.float64] = np.stack(sums, axis=1).astype(np.float64)
    centres /= np.maximum(sizes, 1)[:, None]
    edges = _bridge(touching_pairs(nodes, surface), centres)
    lengths = np.linalg.norm(centres[edges[:, 0]] - centres[edges[:, 1]], axis=1)
    graph = DeformationGraph(
        centres, nodes, edges, float(np.median(lengths)), band_layout(len(centres), edges)
    )
    return graph, surface


def _bridge(edges: NDArray[np.int64], centres: NDArray[np.float64]) -> NDArray[np.int64]:
    """Edges plus the shortest ones that make the graph connected."""
    count = len(centres)
    touching = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (count, count))
    pieces, _ = connected_components(touching, directed=False)
    if pieces == 1:
        return edges
    lengths = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 1e-9
    lengths[edges[:, 0], edges[:, 1]] = lengths[edges[:, 1], edges[:, 0]] = 1e-12
    tree = minimum_spanning_tree(lengths).tocoo()
    bridges = np.sort(np.stack([tree.row, tree.col], axis=1), axis=1)
    return np.unique(np.concatenate([edges, bridges]), axis=0)
