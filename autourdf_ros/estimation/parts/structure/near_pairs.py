"""Pairs of parts that are near enough to be joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree

from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions
from autourdf_ros.parallel import on_all_cores

Pair = tuple[int, int]


def near_pairs(parts: Sequence[PreparedPart], options: StructureOptions) -> tuple[Pair, ...]:
    """Return the pairs of parts that may be joined, the smaller number first.

    Those whose samples are near each other by the size of the smaller part, and those of the tree
    of least distances: so every part is in a pair, and all parts are connected.
    """
    gaps = sample_gaps(parts)
    diagonals = np.array([part.diagonal for part in parts])
    smaller = np.minimum(diagonals[:, None], diagonals[None, :])
    near = np.triu(gaps <= options.near * smaller, 1)
    least = minimum_spanning_tree(np.triu(gaps, 1) + np.triu(np.full_like(gaps, 1e-12), 1))
    near[least.nonzero()] = True
    return tuple((int(first), int(second)) for first, second in np.argwhere(near))


def sample_gaps(parts: Sequence[PreparedPart]) -> NDArray[np.float64]:
    """Return (P, P) distances between the samples of parts (m), never less than their boxes'."""
    lower, upper = (np.array([part.part.bounds[end] for part in parts]) for end in (0, 1))
    apart = np.maximum(lower[:, None] - upper[None], lower[None] - upper[:, None])
    gaps = np.linalg.norm(np.maximum(apart, 0.0), axis=2)
    trees = [cKDTree(part.samples.points) for part in parts]
    pairs = [(i, j) for i in range(len(parts)) for j in range(i + 1, len(parts))]

    def gap(pair: Pair) -> float:
        first, second = pair
        found, _ = trees[first].query(parts[second].samples.points)
        return float(found.min())

    for pair, value in zip(pairs, on_all_cores(gap, pairs), strict=True):
        gaps[pair] = gaps[pair[::-1]] = value
    return gaps
