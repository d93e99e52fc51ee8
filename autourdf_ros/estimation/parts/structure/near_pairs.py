"""Pairs of parts that are near enough to be joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions
from autourdf_ros.parallel import on_all_cores

Pair = tuple[int, int]

_TOUCHING = 1e-12
"""Distance (m) that stands for none in a sparse graph, where zero is no edge."""
_SPACINGS = 2.0
"""Distance between samples next to each other at most, in roots of the area that one stands for."""
_SAME = 1e-6
"""Distance, in sizes of the assembly, up to which surfaces are the same: of single precision."""
_FIRST = 100
"""Samples that bound a distance, so that the others are compared quickly (resource bound)."""


def near_pairs(parts: Sequence[PreparedPart], options: StructureOptions) -> tuple[Pair, ...]:
    """Return the pairs of parts that may be joined, the smaller number first.

    Those that are near each other by the size of the smaller part; where these do not connect all
    parts, the shortest of the others that do as well. Samples of a part that is much larger are
    sparse: there its surface decides.
    """
    diagonals = np.array([part.diagonal for part in parts])
    size = float(np.linalg.norm(np.ptp(np.vstack([part.part.bounds for part in parts]), axis=0)))
    smaller = np.minimum(diagonals[:, None], diagonals[None, :])
    reach = np.maximum(options.near * smaller, options.clearance * size)
    apart = box_gaps(parts)
    copies = copied_pairs(parts, _SAME * size)
    close = [(i, j) for i, j in np.argwhere((apart <= reach) & ~copies).tolist() if i < j]
    gaps = sample_gaps(parts, close)
    sparse = [
        pair for pair in close if reach[pair] < gaps[pair] <= reach[pair] + _spacing(parts, pair)
    ]
    found = on_all_cores(lambda pair: _surface_gap(parts, pair, gaps[pair]), sparse)
    gaps |= dict(zip(sparse, found, strict=True))
    near = {pair for pair, gap in gaps.items() if gap <= reach[pair]}
    return tuple(sorted(near | set(_connecting(parts, near, gaps, copies))))


def copied_pairs(parts: Sequence[PreparedPart], limit: float) -> NDArray[np.bool_]:
    """Return which parts (P, P) are copies of each other at one place; no part of itself.

    Args:
        parts: All.
        limit: Between their boxes, and from the samples of each to the surface of the other (m).
    """
    boxes = np.array([part.part.bounds for part in parts])
    same = np.abs(boxes[:, None] - boxes[None]).max(axis=(2, 3)) <= limit
    for i, j in np.argwhere(same).tolist():
        first, second = parts[i], parts[j]
        same[i, j] = i != j and second.field(first.samples.points).max() <= limit
    both = same & same.T
    alone = both.sum() == len(parts) * (len(parts) - 1)  # nothing else to be joined to
    return np.zeros_like(both) if alone else np.asarray(both)


def box_gaps(parts: Sequence[PreparedPart]) -> NDArray[np.float64]:
    """Return (P, P) distances between the boxes of parts (m): no greater than theirs."""
    lower, upper = (np.array([part.part.bounds[end] for part in parts]) for end in (0, 1))
    apart = np.maximum(lower[:, None] - upper[None], lower[None] - upper[:, None])
    return np.asarray(np.linalg.norm(np.maximum(apart, 0.0), axis=2))


def sample_gaps(parts: Sequence[PreparedPart], pairs: Iterable[Pair]) -> dict[Pair, float]:
    """Return the least distances between the samples of pairs of parts (m)."""
    pairs = list(pairs)
    firsts = {first for first, _ in pairs}
    trees = {number: cKDTree(parts[number].samples.points) for number in firsts}

    def gap(pair: Pair) -> float:
        tree, points = trees[pair[0]], parts[pair[1]].samples.points
        least = float(tree.query(points[:_FIRST])[0].min())  # the first are spread over all
        return min(least, float(tree.query(points, distance_upper_bound=least)[0].min()))

    return dict(zip(pairs, on_all_cores(gap, pairs), strict=True))


def _spacing(parts: Sequence[PreparedPart], pair: Pair) -> float:
    """By how much samples may be further apart than surfaces (m)."""
    return _SPACINGS * float(np.sqrt(max(parts[number].samples.area for number in pair)))


def _surface_gap(parts: Sequence[PreparedPart], pair: Pair, known: float) -> float:
    """The least distance of the samples of each of two parts from the other's surface (m).

    Args:
        parts: All.
        pair: Numbers of two.
        known: Distance (m) that is no less.
    """
    first, second = (parts[number] for number in pair)
    ahead = second.field.capped(first.samples.points, known).min()
    return float(first.field.capped(second.samples.points, ahead).min())


def _connecting(
    parts: Sequence[PreparedPart],
    near: set[Pair],
    gaps: dict[Pair, float],
    copies: NDArray[np.bool_],
) -> list[Pair]:
    """The shortest pairs that connect what near pairs do not."""
    graph = np.zeros((len(parts), len(parts)))
    for pair in near:
        graph[pair] = _TOUCHING
    count, group = connected_components(graph, directed=False)
    if count == 1:
        return []
    others = [
        (i, j) for i, j in np.argwhere((group[:, None] != group[None]) & ~copies).tolist() if i < j
    ]
    unknown = sample_gaps(parts, [pair for pair in others if pair not in gaps])
    for pair in others:
        graph[pair] = max(_TOUCHING, gaps[pair] if pair in gaps else unknown[pair])
    tree = minimum_spanning_tree(graph).tocoo()
    chosen = zip(tree.row.tolist(), tree.col.tolist(), strict=True)
    return [pair for pair in chosen if group[pair[0]] != group[pair[1]]]
