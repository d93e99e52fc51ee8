"""Closest-point matches between moved bodies and a frame, and their normal equations.

A body's information H = sum w a a^T with a = (y x n, n) (y: moved point, n: unit normal) says
which of its motions its surface shows; almost everything in `kinematics` is weighted by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.kinematics.cloud import Cloud

Array = NDArray[np.float64]

Directions = Literal["both", "forward", "backward"]

VISIBLE = 0.01  # least share of a motion that must be along the normals for it to be seen


@dataclass(frozen=True)
class Matches:
    """M pairs of a moved source point and a frame's point.

    source, target: (M,) indices. moved: (M, 3) the source points, moved. normals: (M, 3) of the
    plane that the distance is measured to. offsets: (M, 3) target minus moved. weights: (M,).
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    moved: Array
    normals: Array
    offsets: Array
    weights: Array

    @property
    def distances(self) -> Array:
        """Signed point-to-plane distances (M,), metres."""
        return np.einsum("mi,mi->m", self.normals, self.offsets)


def geman_mcclure(residuals: Array, width: float) -> Array:
    """Weights of the Geman-McClure kernel: 1 at 0, 1/4 at `width`."""
    return (1.0 + (residuals / width) ** 2) ** -2


def match(
    moved: Array,
    moved_normals: Array,
    flatness: Array,
    frame: Cloud,
    *,
    gate: float,
    kernel: float,
    directions: Directions = "both",
) -> Matches:
    """Closest points no further apart than `gate` (m), with robust weights.

    moved, moved_normals, flatness: (N, 3), (N, 3), (N,) of the source, already moved.
    directions: forward goes from the source to the frame's planes, backward from the frame to the
    source's planes. Weights: Geman-McClure (width `kernel`, m) of the distance, of whose
    tangential part one point spacing is free, times normal agreement times flatness.
    """
    source = target = np.zeros(0, dtype=np.int64)
    normals, flat = np.zeros((0, 3)), np.zeros(0)
    if directions != "backward":
        distances, nearest = frame.tree.query(moved, distance_upper_bound=gate)
        source = np.flatnonzero(np.isfinite(distances))
        target = nearest[source]
        normals = frame.normals[target]
        flat = frame.flatness[target]
    if directions != "forward":
        distances, nearest = cKDTree(moved, balanced_tree=False, compact_nodes=False).query(
            frame.points, distance_upper_bound=gate
        )
        back = np.flatnonzero(np.isfinite(distances))
        back_source = nearest[back]
        source = np.concatenate([source, back_source])
        target = np.concatenate([target, back])
        normals = np.concatenate([normals, moved_normals[back_source]])
        flat = np.concatenate([flat, flatness[back_source]])
    offsets = frame.points[target] - moved[source]
    agreement = np.einsum("mi,mi->m", moved_normals[source], frame.normals[target]) ** 2
    plane = np.einsum("mi,mi->m", normals, offsets)
    squared = np.einsum("mi,mi->m", offsets, offsets)
    tangential = np.sqrt(np.maximum(squared - plane**2, 0))
    residuals = np.hypot(plane, np.maximum(tangential - frame.spacing, 0))
    weights = geman_mcclure(residuals, kernel) * agreement * flat
    return Matches(source, target, moved[source], normals, offsets, weights)


def group_sum(values: Array, groups: NDArray[np.int64], count: int) -> Array:
    """Sums (count, ...) of the rows of `values` (M, ...) by group number (M,)."""
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    result = np.zeros((count, flat.shape[1]))
    filled = np.flatnonzero(sizes)
    if len(filled):
        starts = (np.cumsum(sizes) - sizes)[filled]
        result[filled] = np.add.reduceat(flat[order], starts, axis=0)
    return result.reshape(count, *values.shape[1:])


def normal_equations(
    matches: Matches,
    groups: NDArray[np.int64],
    centres: Array,
    *,
    point_weight: float = 0.0,
) -> tuple[Array, Array]:
    """Information (K, 6, 6) and gradient (K, 6) of every group's twist about its centre.

    groups: (M,) body of every match. centres: (K, 3), in the frame. point_weight: share of the
    point-to-point distance added to the point-to-plane one. Minimising the squared distances
    means solving information @ twist = gradient.
    """
    count = len(centres)
    arms = matches.moved - centres[groups]
    normals = matches.normals
    rows = np.concatenate([np.cross(arms, normals), normals], axis=1)
    weighted = rows * matches.weights[:, None]
    upper = np.triu_indices(6)
    products = weighted[:, upper[0]] * rows[:, upper[1]]
    sums = group_sum(
        np.concatenate([products, weighted * matches.distances[:, None]], axis=1), groups, count
    )
    information = np.zeros((count, 6, 6))
    information[:, upper[0], upper[1]] = sums[:, :21]
    information[:, upper[1], upper[0]] = sums[:, :21]
    gradient = sums[:, 21:]
    if point_weight > 0:
        extra_information, extra_gradient = _point_equations(matches, arms, groups, count)
        information += point_weight * extra_information
        gradient = gradient + point_weight * extra_gradient
    return information, gradient


def point_information(matches: Matches, groups: NDArray[np.int64], centres: Array) -> Array:
    """Information (K, 6, 6) that the same matches would give with all three directions seen."""
    arms = matches.moved - centres[groups]
    return _point_equations(matches, arms, groups, len(centres))[0]


def visible_information(plane: Array, point: Array, floor: float = VISIBLE) -> Array:
    """Point-to-plane information (..., 6, 6) without what noise in the normals feigns.

    A motion along the surface, such as a cylinder's spin, should have none; errors of the normals
    give it a share of the point-to-point information `point`. The share `floor` is taken off
    every direction, and directions with less than that are invisible.
    """
    ridge = 1e-9 * np.trace(point, axis1=-2, axis2=-1)[..., None, None] * np.eye(6)
    lower = np.linalg.cholesky(point + ridge + 1e-30 * np.eye(6))
    inverse = np.linalg.inv(lower)
    shares, vectors = np.linalg.eigh(inverse @ plane @ np.swapaxes(inverse, -1, -2))
    shares = np.maximum(shares - floor, 0)
    half = lower @ vectors
    return (half * shares[..., None, :]) @ np.swapaxes(half, -1, -2)


def _point_equations(
    matches: Matches, arms: Array, groups: NDArray[np.int64], count: int
) -> tuple[Array, Array]:
    weights = matches.weights[:, None]
    outer = arms[:, :, None] * arms[:, None, :]
    sums = group_sum(
        np.concatenate(
            [
                weights,
                weights * arms,
                weights * outer.reshape(-1, 9),
                weights * np.cross(arms, matches.offsets),
                weights * matches.offsets,
            ],
            axis=1,
        ),
        groups,
        count,
    )
    total, first, second = sums[:, 0], sums[:, 1:4], sums[:, 4:13].reshape(-1, 3, 3)
    information = np.zeros((count, 6, 6))
    eye = np.eye(3)
    information[:, :3, :3] = np.trace(second, axis1=1, axis2=2)[:, None, None] * eye - second
    information[:, 3:, 3:] = total[:, None, None] * eye
    cross = np.zeros((count, 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -first[:, 2], first[:, 1], -first[:, 0]
    information[:, :3, 3:] = cross - np.swapaxes(cross, 1, 2)
    information[:, 3:, :3] = -information[:, :3, 3:]
    return information, sums[:, 13:19]
