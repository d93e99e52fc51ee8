"""Clusters of a cloud by k-means."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2

from autourdf_ros.geometry.arrays import Array

ROUNDS = 20


def cluster(points: Array, count: int, seed: int) -> NDArray[np.int64]:
    """Return the cluster (N,) of every point by k-means++ (Arthur and Vassilvitskii, SODA 2007).

    Args:
        points: (N, D).
        count: number of clusters at most; they are numbered from 0 without gaps.
        seed: of the random start.
    """
    labels = _kmeans(points, min(count, len(points)), "++", np.random.default_rng(seed))
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def clusters_about(points: Array, centres: Array) -> NDArray[np.int64]:
    """Return the cluster (N,) of every point (N, 3) by k-means begun at centres (S, 3)."""
    return _kmeans(points, centres, "matrix", None)


def means(points: Array, labels: NDArray[np.int64], count: int) -> Array:
    """Return the mean (S, D) of the points (N, D) of every cluster, NaN of those without any."""
    sizes = np.bincount(labels, minlength=count)
    sums = [np.bincount(labels, column, count) for column in points.T]
    with np.errstate(invalid="ignore"):
        return np.stack(sums, axis=1) / sizes[:, None]


def _kmeans(
    points: Array, begin: int | Array, kind: str, rng: np.random.Generator | None
) -> NDArray[np.int64]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a cluster is empty
        _, labels = kmeans2(points, begin, iter=ROUNDS, minit=kind, rng=rng)
    return np.asarray(labels, dtype=np.int64)
