"""From tracked nodes to rigid bodies: how many there are, and which point belongs to which.

Merging (by what the surfaces can tell apart) and labelling (by which motion explains a point)
alternate while the stop of the merging rises. The body that moves as the whole frames do becomes
the root early, so that a shoulder on a round base cannot swallow it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.rigid_bodies import Bodies, Noise, merge_bodies, separation
from autourdf_ros.estimation.motion.registration.deformation_graph import touching_pairs
from autourdf_ros.estimation.motion.registration.point_labels import (
    COST_CAP,
    REACH,
    drop_specks,
    own_costs,
    point_costs,
    refit_bodies,
    smooth_labels,
)
from autourdf_ros.estimation.motion.segmentation.root_body import (
    RootMotion,
    RootMove,
    find_root,
    held,
    least_turning,
    with_root,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

LEAST_GAIN = 40.0  # cost that a small body must save its points together, per frame
SMALL = 0.01  # share of the points
STOPS = (0.17, 0.33, 0.55, 1.0)  # shares of the last stop at which points are labelled in between
GATE = 4.0  # point spacings
LAST_ROUNDS = 4  # after which bodies that labelling made alike are no longer merged
LABEL_ROUNDS = 2
LEAST_POINTS = 20
ABSORB_COST = 0.25  # the same of moving with the root, up to which a body is part of it


@dataclass(frozen=True)
class Segmentation:
    """B rigid bodies on the reference cloud.

    labels: (N,) body of every point. bodies: their motions and informations. root: the body
    that moves as the frames do. root_motion: how. costs: chi-square per
    frame of every merge, in order, and of those not made.
    """

    labels: NDArray[np.int64]
    bodies: Bodies
    root: int
    root_motion: RootMotion
    merged_costs: tuple[float, ...]
    kept_costs: tuple[float, ...]


def segment(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    labels: NDArray[np.int64],
    edges: NDArray[np.int64],
    neighbours: csr_matrix,
    *,
    noise: Noise,
    stop: float,
    count: int | None = None,
    known: RootMove | None = None,
) -> Segmentation:
    """Rigid bodies from pieces of surface that were tracked through F frames.

    pieces: motions of the pieces; labels: (N,) piece of every point; edges: (E, 2) neighbouring
    pieces. stop: chi-square per frame up to which neighbours are merged. count: force so many.
    known: how the frames move as a whole, where other frames have told.
    """
    gate = GATE * reference.spacing
    seed, move = find_root(reference, frames, pieces, labels, noise, gate, known)
    bodies, labels, edges, root = with_root(
        reference, frames, pieces, labels, edges, seed, move, gate
    )
    motion = move.motion
    merged: list[float] = []
    for share in (*STOPS, *[1.0] * LAST_ROUNDS):
        owners, costs = merge_bodies(bodies, edges, share * stop, noise, locked=root)
        if not costs and share == 1.0 and merged:
            break
        merged += costs
        labels = np.where(labels >= 0, owners[labels], -1)
        root = None if root is None else int(owners[root])
        poses = _representatives(bodies, owners)
        bodies, labels, root = _relabel(
            reference, frames, poses, labels, neighbours, gate, noise, root, motion
        )
        edges = _mergeable(reference, labels, neighbours, root)
    if root is None:
        root = least_turning(bodies)
        motion = "turns"
    bodies, labels, root = _absorb(
        reference, frames, bodies, labels, neighbours, root, noise, gate, motion
    )
    bodies, labels, root = _dissolve(
        reference, frames, bodies, labels, neighbours, root, noise, gate, motion
    )
    if count is not None:
        bodies, labels, root = _force_count(
            reference, frames, bodies, labels, neighbours, root, count, noise, gate, motion
        )
    edges = touching_pairs(labels, neighbours)
    kept = np.sort(separation(bodies, edges[:, 0], edges[:, 1], noise))
    return Segmentation(
        labels, bodies, root, motion, tuple(merged), tuple(float(cost) for cost in kept)
    )


def _representatives(bodies: Bodies, owners: NDArray[np.int64]) -> Array:
    """Poses (F, B', 4, 4) of merged bodies: of the member that shows most."""
    weight = np.trace(bodies.information, axis1=-2, axis2=-1).sum(axis=0)
    order = np.lexsort((-weight, owners))
    first = order[np.searchsorted(owners[order], np.arange(owners.max() + 1))]
    return bodies.poses[:, first]


def _relabel(
    reference: Cloud,
    frames: list[Cloud],
    poses: Array,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    gate: float,
    noise: Noise,
    root: int | None,
    motion: RootMotion,
) -> tuple[Bodies, NDArray[np.int64], int | None]:
    """Refit and relabel in turns; bodies that lose all their points go."""
    for _ in range(LABEL_ROUNDS):
        bodies = refit_bodies(reference, labels, frames, poses, gate=gate, **held(root, motion))
        costs = point_costs(reference, labels, frames, bodies.poses, noise=noise.total)
        labels = drop_specks(smooth_labels(costs, neighbours), neighbours, LEAST_POINTS)
        kept = np.unique(labels[labels >= 0])
        if root is not None and root not in kept:
            root = None
        poses = bodies.poses[:, kept]
        root = None if root is None else int(np.searchsorted(kept, root))
        labels = np.where(labels >= 0, np.searchsorted(kept, labels), -1)
    bodies = refit_bodies(reference, labels, frames, poses, gate=gate, **held(root, motion))
    return bodies, labels, root


def needless(costs: Array, labels: NDArray[np.int64], root: int) -> int | None:
    """The small body whose points its neighbours explain best, if nearly as well as itself.

    costs: (N, B) of every point under every body's motion. A few points between two bodies can
    be fitted by a motion of their own, which a chi-square takes for a joint.
    """
    gains = np.full(costs.shape[1], np.inf)
    for body in range(costs.shape[1]):
        own = costs[labels == body]
        if body == root or len(own) > SMALL * len(labels):
            continue
        others = np.delete(own, body, axis=1).min(axis=1, initial=COST_CAP)
        gains[body] = np.sum(others - np.minimum(own[:, body], COST_CAP))
    weakest = int(gains.argmin())
    return weakest if gains[weakest] < LEAST_GAIN else None


def _dissolve(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    root: int,
    noise: Noise,
    gate: float,
    motion: RootMotion,
) -> tuple[Bodies, NDArray[np.int64], int]:
    """Give the points of needless bodies to their neighbours, one body at a time."""
    while bodies.poses.shape[1] > 1:
        costs = point_costs(reference, labels, frames, bodies.poses, noise=noise.total)
        weakest = needless(costs, labels, root)
        if weakest is None:
            break
        bodies, labels, root = _without(
            reference, frames, bodies, labels, costs, neighbours, root, weakest, gate, motion
        )
    return bodies, labels, root


def _without(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    costs: Array,
    neighbours: csr_matrix,
    root: int,
    gone: int,
    gate: float,
    motion: RootMotion,
) -> tuple[Bodies, NDArray[np.int64], int]:
    """The bodies without `gone` and without those that so lose all points; never the root."""
    left = np.delete(np.arange(bodies.poses.shape[1]), gone)
    smooth = smooth_labels(costs[:, left], neighbours)
    given = np.where(smooth >= 0, left[smooth], -1)
    if not (given == root).any():
        given[labels == root] = root
    left = np.unique(given[given >= 0])
    labels = np.where(given >= 0, np.searchsorted(left, given), -1)
    root = int(np.searchsorted(left, root))
    bodies = refit_bodies(
        reference, labels, frames, bodies.poses[:, left], gate=gate, **held(root, motion)
    )
    return bodies, labels, root


def without_body(
    reference: Cloud,
    frames: list[Cloud],
    segmentation: Segmentation,
    neighbours: csr_matrix,
    gone: int,
    *,
    noise: Noise,
) -> Segmentation:
    """The segmentation with the points of body `gone` given to the others."""
    bodies, labels = segmentation.bodies, segmentation.labels
    costs = point_costs(reference, labels, frames, bodies.poses, noise=noise.total)
    bodies, labels, root = _without(
        reference,
        frames,
        bodies,
        labels,
        costs,
        neighbours,
        segmentation.root,
        gone,
        GATE * reference.spacing,
        segmentation.root_motion,
    )
    return replace(segmentation, bodies=bodies, labels=labels, root=root)


def united_with_neighbour(
    reference: Cloud,
    frames: list[Cloud],
    segmentation: Segmentation,
    neighbours: csr_matrix,
    body: int,
    *,
    most: float,
    noise: Noise,
) -> Segmentation | None:
    """The segmentation with `body` made one with the neighbour that it moves most alike.

    None where that would cost its points more than `most` per frame, or it touches nothing.
    """
    bodies, labels = segmentation.bodies, segmentation.labels
    edges = _mergeable(reference, labels, neighbours, segmentation.root)
    own = edges[(edges == body).any(axis=1)]
    if not len(own) or body == segmentation.root:
        return None
    pair = own[separation(bodies, own[:, 0], own[:, 1], noise).argmin()]
    other = int(pair.sum() - body)
    poses = bodies.poses.copy()
    poses[:, body] = poses[:, other]
    free = own_costs(reference, labels, frames, bodies.poses, noise=noise.total)
    taken = own_costs(reference, labels, frames, poses, noise=noise.total)
    if np.mean((taken - free)[labels == body]) > most:
        return None
    return united(reference, frames, segmentation, pair)


def united(
    reference: Cloud, frames: list[Cloud], segmentation: Segmentation, pair: NDArray[np.int64]
) -> Segmentation:
    """The segmentation with a pair of bodies (2,) made one."""
    bodies, labels, root = _unite(
        reference,
        frames,
        segmentation.bodies,
        segmentation.labels,
        segmentation.root,
        pair,
        GATE * reference.spacing,
        segmentation.root_motion,
    )
    return replace(segmentation, bodies=bodies, labels=labels, root=root)


def _mergeable(
    reference: Cloud, labels: NDArray[np.int64], neighbours: csr_matrix, root: int | None
) -> NDArray[np.int64]:
    """Pairs of bodies (E, 2) that may be one: those that touch, or nearly do across the root.

    A ring of a shoulder that no camera sees turn may go to the root, and part the rest of it.
    """
    edges = touching_pairs(labels, neighbours)
    if root is None:
        return edges
    beside = edges[(edges == root).any(axis=1)].sum(axis=1) - root
    trees = {int(body): cKDTree(reference.points[labels == body]) for body in beside}
    across = [
        (a, b)
        for a, b in combinations(sorted(trees), 2)
        if trees[a].count_neighbors(trees[b], REACH * reference.spacing)
    ]
    return np.unique(
        np.concatenate([edges, np.array(across, dtype=np.int64).reshape(-1, 2)]), axis=0
    )


def _absorb(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    root: int,
    noise: Noise,
    gate: float,
    motion: RootMotion,
) -> tuple[Bodies, NDArray[np.int64], int]:
    """Let the root take the neighbours whose points its motion explains nearly as well.

    Not those that it cannot be told from by `separation`: a round base shows no turn, and a
    shoulder that turns on it would be lost.
    """
    while True:
        edges = touching_pairs(labels, neighbours)
        own = edges[(edges == root).any(axis=1)]
        others = own.sum(axis=1) - root
        if not len(others):
            return bodies, labels, root
        carried = bodies.poses.copy()
        carried[:, others] = carried[:, [root]]
        free = own_costs(reference, labels, frames, bodies.poses, noise=noise.total)
        taken = own_costs(reference, labels, frames, carried, noise=noise.total)
        rise = np.array([np.mean((taken - free)[labels == body]) for body in others])
        if rise.min() > ABSORB_COST:
            return bodies, labels, root
        bodies, labels, root = _unite(
            reference, frames, bodies, labels, root, own[rise.argmin()], gate, motion
        )


def _force_count(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    root: int,
    count: int,
    noise: Noise,
    gate: float,
    motion: RootMotion,
) -> tuple[Bodies, NDArray[np.int64], int]:
    """Unite the most alike neighbours until only `count` bodies are left."""
    while bodies.poses.shape[1] > count:
        edges = touching_pairs(labels, neighbours)
        if not len(edges):
            break
        pair = edges[separation(bodies, edges[:, 0], edges[:, 1], noise).argmin()]
        bodies, labels, root = _unite(reference, frames, bodies, labels, root, pair, gate, motion)
    return bodies, labels, root


def _unite(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    root: int,
    pair: NDArray[np.int64],
    gate: float,
    motion: RootMotion,
) -> tuple[Bodies, NDArray[np.int64], int]:
    keep, gone = (pair if pair[1] != root else pair[::-1]).tolist()
    owners = np.arange(bodies.poses.shape[1])
    owners[gone] = keep
    kept, owners = np.unique(owners, return_inverse=True)
    labels = np.where(labels >= 0, owners[labels], -1)
    root = int(owners[root])
    bodies = refit_bodies(
        reference,
        labels,
        frames,
        bodies.poses[:, kept],
        gate=gate,
        **held(root, motion),
    )
    return bodies, labels, root
