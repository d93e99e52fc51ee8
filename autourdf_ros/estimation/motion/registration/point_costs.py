"""Costs of reference points under the motions of bodies, frame by frame.

A cost is in units of the squared noise: half the squared point-to-plane distance, the squared
tangential distance beyond one point spacing, and the disagreement of the normals, capped.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.common.surface_matching import (
    warped_surface,
)
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.parallel import on_all_cores

COST_CAP = 12.0
NORMAL_COST = 2.0
HIDDEN_COST = 1.0  # about what a point costs that follows its body
REACH = 8.0  # point spacings within which a body may claim a point


def point_costs(
    reference: Cloud,
    labels: Labels,
    frames: list[Cloud],
    poses: Array,
    *,
    noise: float,
    parents: Labels | None = None,
) -> Array:
    """Return the mean cost of every point under every body's motion.

    Args:
        reference: cloud of N points in the reference configuration.
        labels: (N,) body of every point, -1 none.
        frames: F frames.
        poses: (F, B, 4, 4) of the bodies.
        noise: standard deviation of a point along its normal.
        parents: (B - 1,) of all bodies but the first in a tree, so that one without points may
            claim what is within reach of those that it joins.

    Returns:
        (N, B) costs, averaged over the frames; infinite out of a body's reach.
    """
    candidates = _candidates(reference, labels, poses.shape[1], parents)
    rows, bodies = np.nonzero(candidates)
    points, normals = reference.points[rows], reference.normals[rows]

    def costs(frame: Cloud, pose: Array) -> Array:
        moved, turned = warped_surface(pose, bodies, points, normals)
        return distance_costs(frame, moved, turned, noise)

    result = np.full(candidates.shape, np.inf)
    result[rows, bodies] = np.mean(on_all_cores(costs, frames, poses), axis=0)
    return result


def own_costs(
    reference: Cloud,
    labels: Labels,
    frames: list[Cloud],
    poses: Array,
    *,
    noise: float,
    by_flatness: bool = False,
) -> Array:
    """Return the mean cost (N,) of every point on its own body; the cap where it has none.

    Args:
        reference: cloud of N points in the reference configuration.
        labels: (N,) body of every point, -1 none.
        frames: F frames.
        poses: (F, B, 4, 4) of the bodies.
        noise: standard deviation of a point along its normal.
        by_flatness: whether planes and normals count only as far as surfaces are flat: of a plate
            or a tube thinner than the points are apart they are chance.
    """
    known = labels >= 0
    points, normals = reference.points[known], reference.normals[known]
    flatness = reference.flatness[known] if by_flatness else None

    def costs(frame: Cloud, pose: Array) -> Array:
        moved, turned = warped_surface(pose, labels[known], points, normals)
        return distance_costs(frame, moved, turned, noise, flatness)

    result = np.full(len(labels), COST_CAP)
    result[known] = np.mean(on_all_cores(costs, frames, poses), axis=0)
    return result


def _candidates(
    reference: Cloud, labels: Labels, count: int, parents: Labels | None
) -> NDArray[np.bool_]:
    """(N, B) points within reach of what each body has."""
    candidates = np.zeros((len(reference.points), count), dtype=bool)
    for body in range(count):
        members = labels == body
        if members.any():
            near = build_grid(reference.points[members], reference.spacing)
            distances = near.query(reference.points, REACH * reference.spacing)[0]
            candidates[:, body] = np.isfinite(distances)
    if parents is None:
        return candidates
    seen = np.isin(np.arange(count), labels)
    above, below = candidates.copy(), candidates.copy()
    for body in range(1, count):
        if not seen[body]:
            above[:, body] = above[:, parents[body - 1]]
    for body in range(count - 1, 0, -1):
        if not seen[parents[body - 1]]:
            below[:, parents[body - 1]] |= below[:, body]
    return np.where(seen, candidates, above & below)


def distance_costs(
    frame: Cloud, moved: Array, turned: Array, noise: float, flatness: Array | None = None
) -> Array:
    """Return the cost (N,) of moved points in one frame.

    Where no camera could see a point, its absence shows nothing.

    Args:
        frame: the frame.
        moved: (N, 3) points.
        turned: (N, 3) their normals, outward where cameras are known.
        noise: standard deviation of a point along its normal.
        flatness: (N,) of the points, by which, and by that of the frame, the terms of planes and
            normals are weighed; None: they count in full.
    """
    # What is farther away costs the cap, however it lies.
    along, across = noise * np.sqrt(2 * COST_CAP), frame.spacing * (1 + np.sqrt(COST_CAP / 2))
    nearest = frame.grid.query(moved, float(np.hypot(along, across)))[1]
    shares = np.ones(len(moved))
    if flatness is not None:
        shares = flatness * np.append(frame.flatness, 1.0)[nearest]  # the last stands for none
    cost = _distance_costs(
        np.ascontiguousarray(moved),
        np.ascontiguousarray(turned),
        nearest,
        frame.points,
        frame.normals,
        frame.spacing,
        noise,
        shares,
    )
    suspected = np.flatnonzero(cost > HIDDEN_COST)
    unseen = suspected[frame.hides(moved[suspected], turned[suspected])]
    cost[unseen] = HIDDEN_COST
    return np.minimum(cost, COST_CAP)


@njit(cache=True, nogil=True)
def _distance_costs(
    moved: Array,
    turned: Array,
    nearest: NDArray[np.int64],
    points: Array,
    normals: Array,
    spacing: float,
    noise: float,
    shares: Array,
) -> Array:
    """Costs (N,), the cap where there is no nearest point; shares: (N,) that planes count by."""
    costs = np.full(len(moved), COST_CAP)
    for i in range(len(moved)):
        j = nearest[i]
        if j == len(points):
            continue
        plane, squared, agreement = 0.0, 0.0, 0.0
        for k in range(3):
            offset = points[j, k] - moved[i, k]
            plane += normals[j, k] * offset
            squared += offset * offset
            agreement += normals[j, k] * turned[i, k]
        tangential = np.sqrt(max(squared - plane * plane, 0.0))
        beyond = max(tangential - spacing, 0.0) / spacing
        facing = (plane / noise) ** 2 / 2 + NORMAL_COST * (1 - agreement**2)
        costs[i] = shares[i] * facing + 2 * beyond**2
    return costs
