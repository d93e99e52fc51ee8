"""Group clusters to links: connected components, as many as the silhouette asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from autourdf_ros.geometry.arrays import Array


@dataclass(frozen=True)
class LinkGroups:
    """Groups of clusters.

    Attributes:
        labels: (S,) link of every cluster.
        silhouettes: mean one by number of links tried.
    """

    labels: NDArray[np.int64]
    silhouettes: dict[int, float]


def group_links(
    distances: Array, sizes: NDArray[np.int64], count: int | None, most: int, least: float
) -> LinkGroups:
    """Group S clusters to links.

    Clusters that are nearer than a threshold are of one link: its connected components.

    Args:
        distances: (S, S) of the clusters.
        sizes: (S,) their points.
        count: how many links; None: as many as have the largest mean silhouette, from 2 to `most`.
        most: number of links at most.
        least: share of all points that a link has at least; the clusters of a smaller component go
            to the nearest link.
    """
    tree = linkage(squareform(distances, checks=False), "single")
    silhouettes, groups = {}, {}
    for threshold in tree[::-1, 2]:
        labels = fcluster(tree, np.nextafter(threshold, 0.0), "distance") - 1
        labels = _large_only(distances, labels, sizes, least)
        found = int(labels.max()) + 1
        if found > most:
            break
        if found > 1 and found not in groups:
            groups[found] = labels
            silhouettes[found] = silhouette(distances, labels)
    if not groups:
        return LinkGroups(np.zeros(len(distances), dtype=np.int64), {})
    if count is None:
        chosen = max(silhouettes, key=lambda number: silhouettes[number])
    else:
        chosen = min(groups, key=lambda number: (abs(number - count), -number))
    return LinkGroups(groups[chosen], silhouettes)


def silhouette(distances: Array, labels: NDArray[np.int64]) -> float:
    """Return the mean silhouette (Rousseeuw, 1987) of a grouping; 0 for what is alone in its group.

    Args:
        distances: (S, S).
        labels: (S,) from 0, at least two of them.
    """
    members = np.eye(int(labels.max()) + 1)[labels]
    sizes = members.sum(axis=0)
    sums = distances @ members
    rows = np.arange(len(labels))
    others = sizes[labels] - 1
    inside = sums[rows, labels] / np.maximum(others, 1)
    means = sums / sizes
    means[rows, labels] = np.inf
    outside = means.min(axis=1)
    largest = np.maximum(np.maximum(inside, outside), 1e-300)
    return float(np.where(others > 0, (outside - inside) / largest, 0.0).mean())


def _large_only(
    distances: Array, labels: NDArray[np.int64], sizes: NDArray[np.int64], least: float
) -> NDArray[np.int64]:
    large = np.bincount(labels, sizes) >= least * sizes.sum()
    kept = large[labels]
    if kept.any() and not kept.all():
        nearest = np.flatnonzero(kept)[distances[np.ix_(~kept, kept)].argmin(axis=1)]
        labels = labels.copy()
        labels[~kept] = labels[nearest]
    result: NDArray[np.int64] = np.unique(labels, return_inverse=True)[1]
    return result
