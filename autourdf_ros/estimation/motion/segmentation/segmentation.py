"""Segment the reference cloud into rigid bodies: how many there are, and which point is on which.

Merging (of what the surfaces do not show to be two) and labelling (by which motion explains a
point) alternate while the stop of the merging rises. The body that moves as the whole frames do
becomes the root early, so that a shoulder on a round base cannot swallow it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.registration.deformation_graph import touching_pairs
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.tracked_graph import Pieces
from autourdf_ros.estimation.motion.segmentation.body_uniting import (
    absorbed_by_root,
    mergeable,
    united_to_count,
    without_needless_bodies,
)
from autourdf_ros.estimation.motion.segmentation.labelling import drop_specks, smooth_labels
from autourdf_ros.estimation.motion.segmentation.merging import merge_bodies, separation
from autourdf_ros.estimation.motion.segmentation.root_body import (
    RootMotion,
    RootMove,
    find_root,
    held,
    least_turning,
    with_root,
)
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.geometry.arrays import Array, Labels

STOPS = (0.17, 0.33, 0.55, 1.0)  # shares of the last stop at which points are labelled in between
LAST_ROUNDS = 4  # after which bodies that labelling made alike are no longer merged
LABEL_ROUNDS = 2
LEAST_POINTS = 20


def segment(
    frames: FrameSet,
    pieces: Pieces,
    *,
    stop: float,
    count: int | None = None,
    known: RootMove | None = None,
) -> Segmentation:
    """Segment the reference into rigid bodies, from pieces of surface tracked through F frames.

    Args:
        frames: the reference and the frames.
        pieces: the tracked pieces.
        stop: chi-square per frame up to which neighbours are merged.
        count: number of bodies to force, or None to find it from the data.
        known: how the frames move as a whole, where other frames determined it.
    """
    seed, move = find_root(frames, pieces, known)
    pieces, root = with_root(frames, pieces, seed, move)
    bodies, labels, edges, motion = pieces.bodies, pieces.labels, pieces.edges, move.motion
    merged: list[float] = []
    for share in (*STOPS, *[1.0] * LAST_ROUNDS):
        owners, costs = merge_bodies(bodies, edges, share * stop, frames.noise, locked=root)
        if not costs and share == 1.0 and merged:
            break
        merged += costs
        labels = np.where(labels >= 0, owners[labels], -1)
        root = None if root is None else int(owners[root])
        poses = _representatives(bodies, owners)
        bodies, labels, root = _relabel(frames, poses, labels, root, motion)
        edges = mergeable(frames, labels, root)
    if root is None:
        root, motion = least_turning(bodies), "turns"
    found = Segmentation(labels, bodies, root, motion, tuple(merged), ())
    found = without_needless_bodies(frames, absorbed_by_root(frames, found))
    if count is not None:
        found = united_to_count(frames, found, count)
    edges = touching_pairs(found.labels, frames.neighbours)
    kept = np.sort(separation(found.bodies, edges[:, 0], edges[:, 1], frames.noise))
    return replace(found, kept_costs=tuple(float(cost) for cost in kept))


def _representatives(bodies: Bodies, owners: Labels) -> Array:
    """Poses (F, B', 4, 4) of merged bodies: of the member that shows most."""
    weight = np.trace(bodies.information, axis1=-2, axis2=-1).sum(axis=0)
    order = np.lexsort((-weight, owners))
    first = order[np.searchsorted(owners[order], np.arange(owners.max() + 1))]
    return bodies.poses[:, first]


def _relabel(
    frames: FrameSet, poses: Array, labels: Labels, root: int | None, motion: RootMotion
) -> tuple[Bodies, Labels, int | None]:
    """Refit and relabel in turns; bodies that lose all their points go."""
    for _ in range(LABEL_ROUNDS):
        bodies = frames.refit(labels, poses, **held(root, motion))
        costs = frames.point_costs(labels, bodies.poses)
        smooth = smooth_labels(costs, frames.neighbours)
        labels = drop_specks(smooth, frames.neighbours, LEAST_POINTS)
        kept = np.unique(labels[labels >= 0])
        if root is not None and root not in kept:
            root = None
        poses = bodies.poses[:, kept]
        root = None if root is None else int(np.searchsorted(kept, root))
        labels = np.where(labels >= 0, np.searchsorted(kept, labels), -1)
    return frames.refit(labels, poses, **held(root, motion)), labels, root
