"""Unite bodies that are pieces of one another: with the root, with a neighbour, or by number."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.motion.registration.deformation_graph import touching_pairs
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.point_costs import COST_CAP, REACH
from autourdf_ros.estimation.motion.segmentation.merging import separation
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import (
    Segmentation,
    united,
    without_body,
)
from autourdf_ros.geometry.arrays import Array, Labels

LEAST_GAIN = 40.0  # cost that a small body must save its points together, per frame
SMALL = 0.01  # share of the points
ABSORB_COST = 0.25  # mean cost per point and frame of moving with the root, up to which it takes


def mergeable(frames: FrameSet, labels: Labels, root: int | None) -> NDArray[np.int64]:
    """Return pairs of bodies (E, 2) that may be one: touching, or nearly so across the root.

    A ring of a shoulder whose turn no camera sees may go to the root, and part the rest of it.
    """
    edges = touching_pairs(labels, frames.neighbours)
    if root is None:
        return edges
    reference = frames.reference
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


def absorbed_by_root(frames: FrameSet, found: Segmentation) -> Segmentation:
    """Let the root take the neighbours whose points its motion explains nearly as well.

    `separation` does not decide it: a round base shows no turn, and a shoulder that turns on it
    would be lost.
    """
    while True:
        edges = touching_pairs(found.labels, frames.neighbours)
        own = edges[(edges == found.root).any(axis=1)]
        others = own.sum(axis=1) - found.root
        if not len(others):
            return found
        frozen = found.bodies.poses.copy()
        frozen[:, others] = frozen[:, [found.root]]
        free = frames.own_costs(found.labels, found.bodies.poses)
        held = frames.own_costs(found.labels, frozen)
        rise = np.array([np.mean((held - free)[found.labels == body]) for body in others])
        if rise.min() > ABSORB_COST:
            return found
        found = united(frames, found, own[rise.argmin()])


def without_needless_bodies(frames: FrameSet, found: Segmentation) -> Segmentation:
    """Give the points of needless bodies (`needless`) to their neighbours, one body at a time."""
    while found.count > 1:
        costs = frames.point_costs(found.labels, found.bodies.poses)
        weakest = needless(costs, found.labels, found.root)
        if weakest is None:
            break
        found = without_body(frames, found, weakest, costs)
    return found


def needless(costs: Array, labels: Labels, root: int) -> int | None:
    """Return the small body whose points its neighbours explain best, if nearly as well as itself.

    A motion of their own fits a few points between two bodies, which a chi-square takes for a
    joint.

    Args:
        costs: (N, B) of every point under every body's motion (`point_costs`).
        labels: (N,) body of every point, -1 none.
        root: body that is never needless.
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


def united_with_neighbour(
    frames: FrameSet, found: Segmentation, body: int, *, most: float
) -> Segmentation | None:
    """Unite a body with the neighbour that it moves most alike.

    Args:
        frames: the reference and the frames.
        found: the segmentation.
        body: number of the body.
        most: mean cost per frame that this may add to each of its points.

    Returns:
        The segmentation, or None where it would cost more, the body touches none, or it is the
        root.
    """
    bodies, labels = found.bodies, found.labels
    edges = mergeable(frames, labels, found.root)
    own = edges[(edges == body).any(axis=1)]
    if not len(own) or body == found.root:
        return None
    pair = own[separation(bodies, own[:, 0], own[:, 1], frames.noise).argmin()]
    other = int(pair.sum() - body)
    poses = bodies.poses.copy()
    poses[:, body] = poses[:, other]
    rise = frames.own_costs(labels, poses) - frames.own_costs(labels, bodies.poses)
    if np.mean(rise[labels == body]) > most:
        return None
    return united(frames, found, pair)


def united_to_count(frames: FrameSet, found: Segmentation, count: int) -> Segmentation:
    """Unite the most alike neighbours until only `count` bodies are left."""
    while found.count > count:
        edges = touching_pairs(found.labels, frames.neighbours)
        if not len(edges):
            break
        apart = separation(found.bodies, edges[:, 0], edges[:, 1], frames.noise)
        found = united(frames, found, edges[apart.argmin()])
    return found
