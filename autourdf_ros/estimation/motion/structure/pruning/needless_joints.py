"""Freeze joints of a candidate that its frames do not need."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.common.visibility import VISIBLE, visible_share
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import united
from autourdf_ros.estimation.motion.structure.candidate_building import from_segmentation, tree_of
from autourdf_ros.estimation.motion.structure.candidate_model import LOST_COST, CandidateModel
from autourdf_ros.estimation.motion.structure.pruning.savings import (
    LEAST_CONFIRMED,
    last_links,
    savings,
)
from autourdf_ros.geometry.arrays import Array

FROZEN_COST = 0.3  # mean cost per point and frame up to which a joint may as well be frozen


def without_needless_joint(
    frames: FrameSet, candidate: CandidateModel, *, readings: Array | None = None
) -> CandidateModel | None:
    """Freeze the joint that its child's points need least, if they hardly need it.

    Three kinds of joints are needless. A piece of a link that slid or spun on it, where no surface
    shows that, may get a joint; it fits as well without. A last link may move only as its own
    surface cannot show: a round tube that spins may fit better only because all cameras are off
    alike. A last link's points may be missing in other frames, so that they match others wherever a
    joint lets them go (`savings`). A link on one that the model does not explain stays: it fits
    badly with its joint, too, as one on the way to it is missing or wrong.

    Args:
        frames: the reference and the F frames that the candidate was found in.
        candidate: the candidate.
        readings: (F, M) of the motors, relative to the reference frame, if there are any.

    Returns:
        The candidate with one joint less, or None where all joints are needed.
    """
    model, states, labels = candidate.model, candidate.states, candidate.labels
    reference = frames.reference
    poses = body_poses(model, states.values, states.base)
    frozen = poses.copy()
    frozen[:, 1:] = poses[:, model.parents]
    free = frames.own_costs(labels, poses)
    held = frames.own_costs(labels, frozen)
    links = range(1, poses.shape[1])
    moved = np.array([free[labels == link].mean() for link in links])
    kept = np.array([held[labels == link].mean() for link in links])
    lost_parent = np.append(0.0, moved)[model.parents] > LOST_COST
    rise = np.where(lost_parent, np.inf, kept - moved)
    last = last_links(model.parents, labels)
    saved = savings(
        reference, labels, frames.frames, poses, last, frozen[:, last], noise=frames.noise
    )
    for link, saving in zip(last, saved, strict=True):
        own, twist = labels == link, model.twists[link - 1]
        share = visible_share(reference.points[own], reference.normals[own], twist)
        if share < VISIBLE or saving.confirmed < LEAST_CONFIRMED:
            rise[link - 1] = 0.0
    if not len(rise) or rise.min() > FROZEN_COST:
        return None
    joint = int(rise.argmin())
    pair = candidate.tree.bodies[[model.parents[joint], joint + 1]]
    fewer = united(frames, candidate.segmentation, pair)
    return from_segmentation(reference, fewer, tree_of(frames, fewer, readings))
