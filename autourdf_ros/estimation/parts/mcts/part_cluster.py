"""Group parts of one shape by their Chamfer distance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from autourdf_ros.estimation.parts.mcts.part_solid import PartSolid
from autourdf_ros.geometry.arrays import Array

COMPARED = 1000
"""Samples of a part that are compared (bound of time)."""

REFLECTIONS = np.array(list(product((1.0, -1.0), repeat=3)))
"""Signs of the principal axes: a mirrored part, such as a right leg, is of the left one's shape."""


def part_clusters(solids: Sequence[PartSolid], congruence: float) -> tuple[tuple[int, ...], ...]:
    """Group parts whose Chamfer distance is small after alignment by their principal axes.

    Args:
        solids: The parts.
        congruence: Greatest Chamfer distance, averaged over both directions, in diagonals.

    Returns:
        Numbers of the parts of every cluster of two or more, connected by pairs.
    """
    clouds = [_aligned(solid) for solid in solids]
    pairs = [
        (a, b)
        for a, b in combinations(range(len(solids)), 2)
        if _chamfer(clouds[a], clouds[b]) < congruence
    ]
    rows = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(pairs)), (rows[0], rows[1])), shape=(len(solids),) * 2)
    labels = connected_components(graph, directed=False)[1]
    groups = (np.flatnonzero(labels == label) for label in range(labels.max() + 1))
    return tuple(tuple(map(int, group)) for group in groups if len(group) > 1)


def _aligned(solid: PartSolid) -> Array:
    """Samples in the part's principal axes, in diagonals."""
    points = (solid.points[:COMPARED] - solid.centre) / max(solid.diagonal, 1e-12)
    whole = (solid.points - solid.centre) / max(solid.diagonal, 1e-12)
    _, axes = np.linalg.eigh(whole.T @ whole)
    return points @ axes


def _chamfer(first: Array, second: Array) -> float:
    """Chamfer distance of two clouds over the signs of their axes: the least, in diagonals."""
    spread = np.abs(first.std(axis=0) - second.std(axis=0)).max()
    if spread > 0.02:  # farther apart than samples of one shape
        return np.inf
    tree = KDTree(first)
    distances = []
    for signs in REFLECTIONS:
        there = tree.query(second * signs)[0].mean()
        back = KDTree(second * signs).query(first)[0].mean()
        distances.append((there + back) / 2)
    return float(min(distances))
