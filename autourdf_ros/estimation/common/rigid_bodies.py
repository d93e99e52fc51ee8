"""Merge pieces of surface into rigid bodies by what their surfaces can tell apart.

The cost of calling two pieces one body is d^T (Ha || Hb) d / sigma^2, meaned over frames, with d
the twist between their motions and Ha || Hb = Ha (Ha + Hb)^-1 Hb the parallel sum of their
informations (Anderson and Duffin, 1969): the chi-square of the difference that can be seen. It
is blind to unobservable sliding, which is its point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, inverse, log_se3

_RIDGE = 1e-6


@dataclass(frozen=True)
class Noise:
    """Error of the measured points along their normals.

    random: standard deviation (m) of what averages out over the points of a body. systematic: of
    what all points of a body share in one frame (camera extrinsics, sampling, curvature).
    """

    random: float
    systematic: float

    @property
    def total(self) -> float:
        """Standard deviation (m) of a single distance."""
        return float(np.hypot(self.random, self.systematic))


@dataclass(frozen=True)
class Bodies:
    """B pieces of surface in F frames.

    poses: (F, B, 4, 4) motion from the reference frame. information: (F, B, 6, 6) of twists
    in the reference frame, about its origin. weights: (F, B) effective number of points.
    """

    poses: Array
    information: Array
    weights: Array


def to_reference(poses: Array, information: Array) -> Array:
    """Information (..., 6, 6) of twists in the moved frame, as one of twists before the motion."""
    change = adjoint(poses)
    return np.swapaxes(change, -1, -2) @ information @ change


def parallel_sum(first: Array, second: Array) -> Array:
    """Ha (Ha + Hb)^-1 Hb of informations (..., 6, 6), regularised where both are blind."""
    total = first + second
    ridge = _RIDGE * np.trace(total, axis1=-2, axis2=-1)[..., None, None] + 1e-30
    result = first @ np.linalg.solve(total + ridge * np.eye(6), second)
    return (result + np.swapaxes(result, -1, -2)) / 2


def separation(
    bodies: Bodies, first: NDArray[np.int64], second: NDArray[np.int64], noise: Noise
) -> Array:
    """Chi-square per frame (E,) of calling bodies `first` and `second` (E,) one."""
    twists = log_se3(inverse(bodies.poses[:, first]) @ bodies.poses[:, second])
    metric = parallel_sum(bodies.information[:, first], bodies.information[:, second])
    squared = np.einsum("fei,feij,fej->fe", twists, metric, twists)
    one, other = bodies.weights[:, first], bodies.weights[:, second]
    shared = one * other / np.maximum(one + other, 1e-12)
    return (squared / (noise.random**2 + noise.systematic**2 * shared)).mean(axis=0)


def merge_bodies(
    bodies: Bodies,
    edges: NDArray[np.int64],
    stop: float,
    noise: Noise,
    locked: int | None = None,
) -> tuple[NDArray[np.int64], list[float]]:
    """Greedy agglomeration of neighbours, cheapest first, up to a chi-square per frame of `stop`.

    edges: (E, 2) neighbours. locked: a body that takes part in no merge. Returns the new number
    (B,) of every body, numbered by the first member, and the costs of the merges in their order.
    """
    count = bodies.poses.shape[1]
    poses, information = bodies.poses.copy(), bodies.information.copy()
    weights = bodies.weights.copy()
    state = Bodies(poses, information, weights)
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
        weights[:, a] += weights[:, b]
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
    """Information-weighted mean (..., 4, 4) of two motions; informations in the reference frame."""
    total = first_info + second_info
    ridge = _RIDGE * np.trace(total, axis1=-2, axis2=-1)[..., None, None] + 1e-30
    twist = log_se3(inverse(first) @ second)
    pulled = np.linalg.solve(total + ridge * np.eye(6), second_info @ twist[..., None])
    return first @ exp_se3(pulled[..., 0])
