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
    """labels: (S,) link of every cluster. silhouettes: mean one by number of links tried."""

    labels: NDArray[np.int64]
    silhouettes: dict[int, float]


def group_links(
    distances: Array, sizes: NDArray[np.int64], count: int | None, most: int, least: float
) -> LinkGroups:
    """Links of S clusters, by their distances (S, S).

    Clusters that are nearer than a threshold are of one link: its connected components. count: how
    many links; None: as many as have the largest mean silhouette, from 2 to `most`. sizes: (S,)
    points. A component with less than the share `least` of all points is no link: its clusters go
    to the link that is nearest.
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
    """Mean silhouette (Rousseeuw, 1987) of labels (S,) from 0, at least two of them, by distances.

    0 for what is alone in its group.
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
