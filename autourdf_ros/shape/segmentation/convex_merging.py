"""Merge neighbouring pieces into parts that are as convex as possible, and keep the tree of it.

Hierarchical Tetrahedra Clustering: Attene, Mortara, Spagnuolo, Falcidieno, "Hierarchical convex
approximation of 3D shapes for fast region selection", Computer Graphics Forum 2008, with the cost
as Nadeau, Giamou, Kelly, ICRA 2023, Eq. 8 have it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError, cKDTree

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Piece:
    """What merging knows of a piece.

    Attributes:
        corners: (h, 3) corners of its convex hull, in a unit in which the object measures 1.
        hull_volume: Of the convex hull.
        volume: Of the piece itself.
        count: Elements.
    """

    corners: Array
    hull_volume: float
    volume: float
    count: int

    @property
    def concavity(self) -> float:
        """Volume of the hull that the piece does not fill."""
        return max(self.hull_volume - self.volume, 0.0)


@dataclass(frozen=True)
class MergeTree:
    """The merges of k pieces, in order; node k + i is made by merge i.

    Attributes:
        children: (k - 1, 2) nodes that a merge joins.
        concavities: (2 k - 1,) of the nodes, as shares of the object's volume.
        leaves: k.
    """

    children: Labels
    concavities: Array
    leaves: int

    def cut(self, parts: int) -> Labels:
        """Return the part (k,) of every piece when the last merges are undone, 0 to parts - 1."""
        owners = np.arange(2 * self.leaves - 1)
        for merge in range(max(self.leaves - max(parts, 1), 0))[::-1]:
            owners[self.children[merge]] = owners[self.leaves + merge]
        return np.unique(owners[: self.leaves], return_inverse=True)[1].astype(np.int64)

    def pruned(self, price: float) -> Labels:
        """Return the part (k,) of every piece where a part more costs `price`, 0 to parts - 1.

        The parts whose concavity, as a share of the object's volume, and price together are least:
        of all subtrees with the same root, cost-complexity pruning finds the best one (Breiman,
        Friedman, Olshen, Stone, "Classification and Regression Trees", 1984).
        """
        best = self.concavities + price
        whole = np.ones(len(best), bool)
        for merge, (first, second) in enumerate(self.children):
            node = self.leaves + merge
            whole[node] = best[node] <= best[first] + best[second]
            best[node] = min(best[node], best[first] + best[second])
        owners = np.arange(len(best))
        for merge in range(len(self.children))[::-1]:
            node = self.leaves + merge
            if whole[node] or owners[node] != node:
                owners[self.children[merge]] = owners[node]
        return np.unique(owners[: self.leaves], return_inverse=True)[1].astype(np.int64)


def piece_of(corners: Array, volume: float, count: int) -> Piece:
    """Return the piece that spans the corners (n, 3); a flat one has a hull of no volume."""
    try:
        hull = ConvexHull(corners)
    except QhullError:
        return _joggled(corners, volume, count)
    return Piece(corners[hull.vertices], float(hull.volume), volume, count)


def _joggled(corners: Array, volume: float, count: int) -> Piece:
    """The piece of corners of which many lie in one plane, which are moved by a trace of noise."""
    try:
        hull = ConvexHull(corners, qhull_options="QJ")
    except QhullError:
        return Piece(corners, 0.0, volume, count)
    return Piece(corners[hull.vertices], float(hull.volume), volume, count)


def merge_tree(pieces: Sequence[Piece], edges: Labels) -> MergeTree:
    """Return the tree that merges all pieces, at every step the two of the least cost.

    Args:
        pieces: k of them.
        edges: (e, 2) which of them share a face; pieces that no edges join are joined where they
            are nearest.
    """
    nodes = list(pieces)
    total = sum(piece.count for piece in nodes)
    whole = sum(piece.volume for piece in nodes)
    neighbours: list[set[int]] = [set() for _ in nodes]
    queue: list[tuple[float, int, int, Piece]] = []

    def offer(first: int, second: int) -> None:
        one, other = nodes[first], nodes[second]
        union = piece_of(
            np.vstack([one.corners, other.corners]),
            one.volume + other.volume,
            one.count + other.count,
        )
        sizes = (one.count**2 + other.count**2) / total**2
        cost = union.concavity + 1 if union.concavity > 0 else sizes
        heapq.heappush(queue, (cost, first, second, union))

    for first, second in _bridged(pieces, edges):
        neighbours[first].add(second)
        neighbours[second].add(first)
        offer(first, second)
    children: list[tuple[int, int]] = []
    gone: set[int] = set()
    while queue:
        _, first, second, union = heapq.heappop(queue)
        if first in gone or second in gone:
            continue
        new = len(nodes)
        nodes.append(union)
        children.append((first, second))
        gone |= {first, second}
        around = (neighbours[first] | neighbours[second]) - gone
        neighbours.append(around)
        for near in sorted(around):
            neighbours[near].add(new)
            offer(near, new)
    concavities = np.array([node.concavity for node in nodes]) / whole
    return MergeTree(np.array(children, np.int64).reshape(-1, 2), concavities, len(pieces))


def _bridged(pieces: Sequence[Piece], edges: Labels) -> list[tuple[int, int]]:
    """Edges without repetition, and one more for every group of pieces that is apart."""
    pairs = np.unique(np.sort(np.asarray(edges, np.int64).reshape(-1, 2), axis=1), axis=0)
    count = len(pieces)
    while True:
        graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
        groups, labels = connected_components(graph, directed=False)
        if groups == 1:
            return [(int(first), int(second)) for first, second in pairs]
        own = labels == labels[0]
        corners = [piece.corners for piece in pieces]
        owners = np.repeat(np.arange(count), [len(corner) for corner in corners])
        stacked, inside = np.vstack(corners), own[owners]
        distances, found = cKDTree(stacked[inside]).query(stacked[~inside])
        nearest = int(distances.argmin())
        bridge = (owners[~inside][nearest], owners[inside][found[nearest]])
        pairs = np.vstack([pairs, np.sort(bridge)])
