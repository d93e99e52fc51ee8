"""Split a body into many compact clusters that do not cross colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ClusterOptions:
    """How a body is split into clusters.

    Attributes:
        clusters: How many: several times the parts of everyday objects.
        colour_weight: Sides of a cluster to which the distance from black to pure red amounts. The
            spread of one part's colour under a camera is about a tenth of that distance.
        rounds: Of k-means; a resource bound.
    """

    clusters: int = 50
    colour_weight: float = 10.0
    rounds: int = 15


CLUSTER_OPTIONS = ClusterOptions()


def over_segmented(
    body: SolidBody, options: ClusterOptions = CLUSTER_OPTIONS, groups: Labels | None = None
) -> Labels:
    """Return the cluster (n,) of every element, 0 to k - 1, k about `options.clusters` at most.

    Weighted k-means (Lloyd, 1982) from farthest points, in places and colours.

    Args:
        body: What is split.
        options: How it is split.
        groups: (n,) group of every element, 0 to g - 1, each with elements: no cluster crosses
            their borders, and each has its share by volume, but one at least. None: one group.

    Raises:
        InputError: fewer than one cluster is asked.
    """
    if options.clusters < 1:
        raise InputError(f"{options.clusters} clusters; accepted are 1 or more")
    side = (body.volume / options.clusters) ** (1 / 3)
    features = body.centres / side
    if body.colours is not None:
        features = np.column_stack([features, options.colour_weight * body.colours])
    if groups is None:
        return _k_means(features, body.volumes, options.clusters, options.rounds)
    labels = np.zeros(len(groups), np.int64)
    shares = np.bincount(groups, body.volumes) / body.volume
    start = 0
    for group, share in enumerate(shares):
        own = groups == group
        count = max(1, round(options.clusters * float(share)))
        labels[own] = start + _k_means(features[own], body.volumes[own], count, options.rounds)
        start = int(labels[own].max()) + 1
    return labels


def _k_means(features: Array, weights: Array, count: int, rounds: int) -> Labels:
    middles = features[farthest_point_indices(features, count)]
    labels = np.zeros(len(features), np.int64)
    for _ in range(rounds):
        nearest = cKDTree(middles).query(features)[1]
        _, renewed = np.unique(nearest, return_inverse=True)
        if np.array_equal(renewed, labels):
            break
        labels = renewed
        total = np.bincount(labels, weights)
        middles = np.column_stack(
            [np.bincount(labels, weights * column) / total for column in features.T]
        )
    return labels
