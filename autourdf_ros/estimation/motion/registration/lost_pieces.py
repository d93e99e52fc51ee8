"""Pieces of a deformation graph that a frame does not explain, and from where to try them again.

A hand that touches the hip in the reference hangs on both. Where they move apart, it may stay with
the hip or be torn between them, and is lost. Everything around it was found, so that it need only
be tied to one side at a time: what it belongs to moves it to where it fits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autourdf_ros.estimation.common.block_banded import band_layout
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.point_costs import COST_CAP
from autourdf_ros.geometry.arrays import Array

LOST_COST = COST_CAP / 2  # mean cost of a node's points from which it is lost
LEAST_LOST = 0.01  # share of the points that a lost piece has

Nodes = NDArray[np.bool_]


def lost_pieces(graph: DeformationGraph, costs: Array) -> list[Nodes]:
    """Return connected lost nodes, each piece as (K,) bool.

    Args:
        graph: K nodes on the reference.
        costs: (N,) of the reference points (`distance_costs`).
    """
    count = len(graph.centres)
    sizes = np.bincount(graph.nodes, minlength=count)
    means = np.bincount(graph.nodes, costs, count) / np.maximum(sizes, 1)
    pieces = _connected(graph, means > LOST_COST)
    return [piece for piece in pieces if sizes[piece].sum() >= LEAST_LOST * len(costs)]


def retries(
    graph: DeformationGraph, poses: Array, piece: Nodes
) -> list[tuple[DeformationGraph, Array]]:
    """Return the graph with a piece tied to one of its sides only, and poses to start from.

    A side: nodes beside the piece that are connected with one another by edges among them.

    Args:
        graph: K nodes.
        poses: (K, 4, 4) of the nodes.
        piece: (K,) bool, the nodes of the piece.

    Returns:
        For every side, the graph and poses (K, 4, 4) in which the piece moves with it.
    """
    first, second = graph.edges.T
    across = piece[first] != piece[second]
    beside = np.zeros(len(piece), dtype=bool)
    beside[graph.edges[across]] = True
    found = []
    for side in _connected(graph, beside & ~piece):
        edges = graph.edges[~across | side[first] | side[second]]
        numbers, members = np.flatnonzero(side), np.flatnonzero(piece)
        gaps = graph.centres[members][:, None] - graph.centres[numbers]
        start = poses.copy()
        start[members] = poses[numbers[np.linalg.norm(gaps, axis=2).argmin(axis=1)]]
        layout = band_layout(len(piece), edges)
        found.append((replace(graph, edges=edges, layout=layout), start))
    return found


def _connected(graph: DeformationGraph, chosen: Nodes) -> list[Nodes]:
    """Chosen nodes (K,) by the pieces that edges among them connect."""
    edges = graph.edges[chosen[graph.edges].all(axis=1)]
    links = csr_matrix((np.ones(len(edges)), edges.T), (len(chosen),) * 2)
    owners = connected_components(links, directed=False)[1]
    return [chosen & (owners == owner) for owner in np.unique(owners[chosen])]
