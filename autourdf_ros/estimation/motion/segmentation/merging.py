"""Merge pieces of surface into rigid bodies where their surfaces do not show that they are two.

The cost of calling two pieces one body is d^T (Ha || Hb) d / sigma^2, averaged over frames, with d
the twist between their motions and Ha || Hb the parallel sum of their informations: the chi-square
of the difference that can be seen. It is blind to unobservable sliding, which is its point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.rigid_bodies import Bodies, parallel_sum, regularised
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3


def separation(bodies: Bodies, first: Labels, second: Labels, noise: float) -> Array:
    """Return the chi-square per frame (E,) of calling pairs of bodies one.

    Args:
        bodies: the bodies.
        first: (E,) number of one body of every pair.
        second: (E,) number of the other one.
        noise: standard deviation of a point along its normal.
    """
    twists = log_se3(inverse(bodies.poses[:, first]) @ bodies.poses[:, second])
    metric = parallel_sum(bodies.information[:, first], bodies.information[:, second])
    squared = np.einsum("fei,feij,fej->fe", twists, metric, twists)
    return np.asarray((squared / noise**2).mean(axis=0))


def merge_bodies(
    bodies: Bodies, edges: NDArray[np.int64], stop: float, noise: float, locked: int | None = None
) -> tuple[Labels, list[float]]:
    """Merge neighbours greedily, the cheapest pair first.

    Args:
        bodies: B bodies.
        edges: (E, 2) pairs of neighbours.
        stop: chi-square per frame up to which neighbours are merged.
        noise: standard deviation of a point along its normal.
        locked: number of a body that takes part in no merge.

    Returns:
        The new number (B,) of every body, numbered by the first member, and the costs of the
        merges in their order.
    """
    count = bodies.poses.shape[1]
    poses, information = bodies.poses.copy(), bodies.information.copy()
    state = Bodies(poses, information, bodies.weights)
    owner = np.arange(count)
    cost = np.full((count, count), np.inf)
    adjacent = np.zeros((count, count), dtype=bool)
    if len(edges):
        adjacent[edges[:, 0], edges[:, 1]] = adjacent[edges[:, 1], edges[:, 0]] = True
    if locked is not None:
        adjacent[locked] = adjacent[:, locked] = False
    first, second = np.nonzero(np.triu(adjacent))
    cost[first, second] = separation(state, first, second, noise)
    costs: list[float] = []
    while True:
        a, b = np.unravel_index(np.argmin(cost), cost.shape)
        if not (np.isfinite(cost[a, b]) and cost[a, b] <= stop):
            break
        costs.append(float(cost[a, b]))
        poses[:, a] = fuse_poses(poses[:, a], information[:, a], poses[:, b], information[:, b])
        information[:, a] += information[:, b]
        owner[owner == b] = a
        adjacent[a] |= adjacent[b]
        adjacent[:, a] = adjacent[a]
        adjacent[a, a] = False
        adjacent[b] = adjacent[:, b] = False
        cost[b] = cost[:, b] = np.inf
        neighbours = np.flatnonzero(adjacent[a])
        if len(neighbours):
            values = separation(state, np.full(len(neighbours), a), neighbours, noise)
            cost[np.minimum(a, neighbours), np.maximum(a, neighbours)] = values
    return np.unique(owner, return_inverse=True)[1], costs


def fuse_poses(first: Array, first_info: Array, second: Array, second_info: Array) -> Array:
    """Return the information-weighted mean (..., 4, 4) of two motions.

    Args:
        first: (..., 4, 4) one motion.
        first_info: (..., 6, 6) its information, in the reference frame.
        second: (..., 4, 4) the other motion.
        second_info: (..., 6, 6) its information.
    """
    twist = log_se3(inverse(first) @ second)
    total = regularised(first_info + second_info)
    pulled = np.asarray(np.linalg.solve(total, second_info @ twist[..., None]), np.float64)
    return first @ exp_se3(pulled[..., 0])
