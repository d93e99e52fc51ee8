"""Give every point of the reference to the rigid body whose motion explains it best."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from scipy.sparse.csgraph import connected_components

from autourdf_ros.estimation.common.rigid_bodies import Bodies, to_reference
from autourdf_ros.estimation.common.surface_matching import (
    match,
    normal_equations,
    point_information,
    visible_information,
    warped_surface,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import from_translation, moved_about, transform
from autourdf_ros.parallel import on_all_cores

Labels = NDArray[np.int64]

REFIT_ITERATIONS = 4
RIDGE = 0.001  # share of the points that holds a body where it was, against sliding
HELD = 1e12  # as good as infinite
COST_CAP = 12.0
NORMAL_COST = 2.0
HIDDEN_COST = 1.0  # about what a point costs that follows its body
SMOOTHING = 6.0
SMOOTHING_ITERATIONS = 12
REACH = 8.0  # point spacings within which a body may claim a point


def refit_bodies(
    reference: Cloud,
    labels: Labels,
    frames: list[Cloud],
    poses: Array,
    *,
    gate: float,
    locked: Collection[int] = (),
    still: Collection[int] = (),
    iterations: int = REFIT_ITERATIONS,
) -> Bodies:
    """Register every body to every frame by itself, from poses (F, B, 4, 4).

    labels: (N,) body of every point, -1 none. gate: (m) beyond which nothing matches.
    locked: bodies that may only translate; still: that do not move at all.
    """
    keep = np.flatnonzero(labels >= 0)
    points, normals, flatness = (
        reference.points[keep],
        reference.normals[keep],
        reference.flatness[keep],
    )
    labels = labels[keep]
    count = poses.shape[1]
    sizes = np.maximum(np.bincount(labels, minlength=count), 1)
    middles = np.stack([np.bincount(labels, points[:, i], count) / sizes for i in range(3)], axis=1)
    radius2 = np.bincount(labels, ((points - middles[labels]) ** 2).sum(1), count) / sizes
    # A weak pull to the start holds what the surface does not show: cylinders do not spin away.
    ridge = np.concatenate([np.repeat(radius2[:, None], 3, 1), np.ones((count, 3))], axis=1)
    ridge *= RIDGE * sizes[:, None]
    ridge += 1e-9
    ridge[list(locked), :3] += HELD
    ridge[list(still)] += HELD
    hold = ridge[:, :, None] * np.eye(6)

    def refit(frame: Cloud, pose: Array) -> tuple[Array, Array, Array]:
        for i in range(iterations + 1):
            moved, turned = warped_surface(pose, labels, points, normals)
            kernel = gate / 2 if i < iterations // 2 else gate / 4
            matches = match(
                moved, turned, flatness, frame, gate=gate, kernel=kernel, directions="forward"
            )
            centres = transform(pose, middles)
            blocks, gradient = normal_equations(matches, labels[matches.source], centres)
            if i == iterations:
                break
            twists = np.asarray(np.linalg.solve(blocks + hold, gradient[..., None]), float)[..., 0]
            pose = moved_about(centres, twists, pose)
        seen = visible_information(
            blocks, point_information(matches, labels[matches.source], centres)
        )
        local = to_reference(from_translation(-centres), seen)
        weights: Array = np.bincount(labels[matches.source], matches.weights, count).astype(float)
        return pose, to_reference(pose, local), weights

    fitted = on_all_cores(refit, frames, poses)
    return Bodies(*map(np.array, zip(*fitted, strict=True)))


def point_costs(
    reference: Cloud,
    labels: Labels,
    frames: list[Cloud],
    poses: Array,
    *,
    noise: float,
    parents: Labels | None = None,
) -> Array:
    """Mean cost (N, B) over frames of every point under every body's motion; inf out of reach.

    In units of the squared noise, capped: point-to-plane, the tangential distance beyond one
    spacing, and the disagreement of the normals. parents: (B - 1,) of all bodies but the first in a
    tree, so that one without points may claim what is within reach of those that it joins.
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
    reference: Cloud, labels: Labels, frames: list[Cloud], poses: Array, *, noise: float
) -> Array:
    """Cost (N,) of every point on its own body, as in `point_costs`; the cap where it has none."""
    known = labels >= 0
    points, normals = reference.points[known], reference.normals[known]

    def costs(frame: Cloud, pose: Array) -> Array:
        moved, turned = warped_surface(pose, labels[known], points, normals)
        return distance_costs(frame, moved, turned, noise)

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


def distance_costs(frame: Cloud, moved: Array, turned: Array, noise: float) -> Array:
    """Cost (N,) of points (N, 3) with normals `turned` (N, 3) in a frame, as in `point_costs`.

    Where no camera could see a point, that it is not there tells nothing.
    """
    # What is farther away costs the cap, however it lies.
    along, across = noise * np.sqrt(2 * COST_CAP), frame.spacing * (1 + np.sqrt(COST_CAP / 2))
    nearest = frame.grid.query(moved, float(np.hypot(along, across)))[1]
    cost = _distance_costs(
        np.ascontiguousarray(moved),
        np.ascontiguousarray(turned),
        nearest,
        frame.points,
        frame.normals,
        frame.spacing,
        noise,
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
) -> Array:
    """Costs (N,), the cap where there is no nearest point."""
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
        costs[i] = (plane / noise) ** 2 / 2 + 2 * beyond**2 + NORMAL_COST * (1 - agreement**2)
    return costs


def smooth_labels(costs: Array, neighbours: csr_matrix, smoothing: float = SMOOTHING) -> Labels:
    """Labels (N,) by mean field on a Potts model over the neighbour graph; -1 where no body claims.

    costs: (N, B). Krähenbühl and Koltun, NeurIPS 2011, on a sparse graph.
    """
    adjacency = (neighbours > 0).astype(float)
    degree = np.maximum(np.asarray(adjacency.sum(axis=1)).ravel(), 1)
    average = diags(1 / degree) @ adjacency
    claimed = np.isfinite(costs).any(axis=1)
    finite = np.where(np.isfinite(costs), costs, 1e3)
    finite = finite - finite.min(axis=1, keepdims=True)
    belief = np.exp(-finite)
    belief /= belief.sum(axis=1, keepdims=True)
    for _ in range(SMOOTHING_ITERATIONS):
        belief = np.exp(-(finite - smoothing * (average @ belief)))
        belief /= belief.sum(axis=1, keepdims=True)
    return np.where(claimed, belief.argmax(axis=1), -1)


def drop_specks(labels: Labels, neighbours: csr_matrix, least: int) -> Labels:
    """Labels where connected patches of fewer than `least` points take the label around them."""
    coo = neighbours.tocoo()
    same = labels[coo.row] == labels[coo.col]
    patches = connected_components(
        csr_matrix((np.ones(same.sum()), (coo.row[same], coo.col[same])), neighbours.shape),
        directed=False,
    )[1]
    small = np.bincount(patches)[patches] < least
    result = labels.copy()
    kept = ~small
    border = diags(kept.astype(float))
    votes = (
        (neighbours > 0).astype(float)
        @ border
        @ csr_matrix(
            (np.ones(len(labels)), (np.arange(len(labels)), labels + 1)),
            (len(labels), labels.max() + 2),
        )
    )
    change = small & (np.asarray(votes.sum(axis=1)).ravel() > 0)
    result[change] = votes[np.flatnonzero(change)].toarray().argmax(axis=1) - 1
    return result
