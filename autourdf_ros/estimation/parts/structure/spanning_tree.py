"""Maximum spanning trees, and what it costs to exchange one of their edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

Pair = tuple[int, int]


@dataclass(frozen=True)
class Exchange:
    """One edge of a tree replaced by another.

    Attributes:
        removed: Edge of the tree.
        added: Edge that reconnects what is left.
        loss: Decrease of the tree's weight.
    """

    removed: Pair
    added: Pair
    loss: float


def maximum_tree(count: int, weights: Mapping[Pair, float]) -> tuple[Pair, ...]:
    """Return the edges of the maximum spanning forest over `count` nodes, sorted.

    Of equal weights, the edge of smaller numbers goes first (Kruskal, 1956).

    Args:
        count: Of nodes.
        weights: By pair of nodes, the smaller first.
    """
    group = list(range(count))

    def top(node: int) -> int:
        while group[node] != node:
            group[node] = group[group[node]]
            node = group[node]
        return node

    chosen: list[Pair] = []
    for pair in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        first, second = top(pair[0]), top(pair[1])
        if first != second:
            group[first] = second
            chosen.append(pair)
    return tuple(sorted(chosen))


def neighbours(count: int, edges: Iterable[Pair]) -> list[list[int]]:
    """Return the sorted neighbours of every node."""
    found: list[list[int]] = [[] for _ in range(count)]
    for first, second in edges:
        found[first].append(second)
        found[second].append(first)
    return [sorted(nodes) for nodes in found]


def walk(root: int, adjacent: list[list[int]]) -> dict[int, int]:
    """Return the parent of every node that is reached from the root, breadth first; its own -1."""
    parents, queue = {root: -1}, [root]
    for node in queue:
        for other in adjacent[node]:
            if other not in parents:
                parents[other] = node
                queue.append(other)
    return parents


def path(start: int, end: int, adjacent: list[list[int]]) -> tuple[Pair, ...]:
    """Return the edges between two nodes of a tree, empty where they are not connected."""
    parents = walk(start, adjacent)
    edges: list[Pair] = []
    while end in parents and parents[end] >= 0:
        edges.append((min(end, parents[end]), max(end, parents[end])))
        end = parents[end]
    return tuple(edges)


def exchanges(
    count: int, edges: Iterable[Pair], weights: Mapping[Pair, float]
) -> tuple[Exchange, ...]:
    """Return every exchange of one edge of a tree, the least loss first."""
    edges = tuple(edges)
    adjacent = neighbours(count, edges)
    found = [
        Exchange(removed, added, weights[removed] - weights[added])
        for added in sorted(set(weights) - set(edges))
        for removed in path(*added, adjacent)
    ]
    return tuple(sorted(found, key=lambda one: (one.loss, one.removed, one.added)))


def edge_margins(edges: Iterable[Pair], options: Iterable[Exchange]) -> dict[Pair, float]:
    """Return the least loss of an exchange that removes each edge; inf where there is none."""
    margins = dict.fromkeys(edges, np.inf)
    for one in options:
        margins[one.removed] = min(margins[one.removed], one.loss)
    return margins


def rooted(root: int, edges: Iterable[Pair], count: int) -> tuple[Pair, ...]:
    """Return the edges of a tree as (parent, child), parents before their children."""
    parents = walk(root, neighbours(count, edges))
    return tuple((parent, child) for child, parent in parents.items() if parent >= 0)


def tree_probabilities(count: int, weights: Mapping[Pair, float]) -> dict[Pair, float]:
    """Return the probability of every pair to be in the tree.

    Of a random spanning tree whose probability is proportional to the product of its edges' odds:
    odds times effective resistance (Kirchhoff's matrix tree theorem).

    Args:
        count: Of nodes, all connected.
        weights: Log odds by pair.
    """
    pairs = sorted(weights)
    greatest = max(weights.values())
    odds = np.exp(np.maximum([weights[pair] - greatest for pair in pairs], _LEAST))
    ends = np.array(pairs)
    laplacian = np.zeros((count, count))
    np.add.at(laplacian, (ends[:, 0], ends[:, 1]), -odds)
    laplacian += laplacian.T
    laplacian[np.diag_indices(count)] = -laplacian.sum(axis=1)
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    first, second = ends.T
    resistance = inverse[first, first] + inverse[second, second] - 2 * inverse[first, second]
    return dict(zip(pairs, np.clip(odds * resistance, 0.0, 1.0).tolist(), strict=True))


_LEAST = -25.0
"""Log odds below the greatest that are distinguished: double precision allows no more."""
