"""Unite links that moved as one, though all frames together found a joint between them.

The likelihood counts points, and what errs alike in all frames (cameras, normals) may be worth more
to it than a joint costs. A link that was cut in two then has a joint that hardly moves, or two that
move alike. So what is left to a joint is measured by how far it moved, not by how likely it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.visibility import VISIBLE, visible_share
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.savings import last_links
from autourdf_ros.estimation.motion.structure.pruning.trimming import with_margins
from autourdf_ros.estimation.motion.structure.scoring.rearranging import rearranged
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import PosedState
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import inverse, log_se3

UNMOVED_TURN, UNMOVED_SLIDE = np.radians(2.0), 0.005  # rad, robot sizes, in all inlier frames
IMPROBABLE = 0.01  # probability that such a joint exists, below which it does not


def without_unfounded_joint(
    problem: Problem, candidate: CandidateModel, motion: Motion, exists: Array
) -> tuple[CandidateModel, Motion] | None:
    """Unite two links where nothing shows that they moved against each other.

    They hardly did: a joint at which the initial estimate cut a link in two, and which all frames
    together leave where it is; or the two pieces hang on one link, and turn alike. Or a last link
    looks alike however its joint moves it: a tube that spins may fit better only because all
    cameras are off alike. A joint that alone follows a motor stays, and one of a link without
    points; where no readings say which joints have motors, one that hardly moved stays as well,
    unless it is improbable.

    Args:
        problem: the recording and what is known of it.
        candidate: J joints.
        motion: of the candidate in all frames.
        exists: (J,) probabilities of the joints (`JointEvidence`).

    Returns:
        The candidate and its motion with a joint less, or None where every joint moved.
    """
    model, labels = candidate.model, candidate.labels
    if len(model.parents) < 2:
        return None
    children, joints = np.arange(1, len(model.parents) + 1), np.arange(len(model.parents))
    needless = _moved_as_one(candidate, motion)
    if problem.readings is None:
        stays = needless[children, model.parents] & (exists >= IMPROBABLE)
        needless[children[stays]] = False
    needless[children, model.parents] |= (
        _unshown(problem.reference, candidate) & ~candidate.follow_motors
    )
    sizes = np.bincount(labels[labels >= 0], minlength=len(children) + 1)
    needless &= (sizes > 0)[:, None] & (sizes > 0)
    needless[children[candidate.alone_on_motors]] = False
    if not needless.any():
        return None
    gone = min(np.flatnonzero(needless.any(axis=1)).tolist(), key=lambda link: sizes[link])
    parent = int(model.parents[gone - 1])
    kept = parent if needless[gone, parent] else int(np.flatnonzero(needless[gone])[0])
    left = np.delete(joints, gone - 1)
    pieces = list(candidate.pieces)
    if pieces:
        pieces[kept] += pieces[gone]
    fewer = rearranged(
        problem.reference,
        PosedState(candidate, motion.states),
        left,
        np.where(model.parents == gone, kept, model.parents)[left],
        np.where(labels == gone, kept, labels),
        pieces or None,
    )
    moved = replace(motion, states=fewer.states)
    return with_margins(problem, fewer.candidate, moved), moved


def _moved_as_one(candidate: CandidateModel, motion: Motion) -> NDArray[np.bool_]:
    """(B, B) links that hardly moved against others, none of which hangs below them.

    How far a link slid is measured at its joint, so that a joint on its parent counts as it moved.
    """
    model = candidate.model
    states = States(motion.states.values[motion.used], motion.states.base[motion.used])
    poses = PosedState(candidate, states).poses
    against = inverse(poses)[:, None] @ poses[:, :, None]  # as seen from the second of a pair
    at = np.vstack([np.zeros(3), model.anchors])
    slid = np.einsum("fgkij,gj->fgki", against[..., :3, :3], at) + against[..., :3, 3]
    slides = np.linalg.norm(np.ptp(slid, axis=0), axis=-1)
    turns = np.linalg.norm(np.ptp(log_se3(against)[..., :3], axis=0), axis=-1)
    unmoved = (turns < UNMOVED_TURN) & (slides < UNMOVED_SLIDE)
    below = np.zeros_like(unmoved)
    below[1:] = model.ancestors.T  # a link is below itself
    unmoved[0] = False  # no joint moves the root
    return np.asarray(unmoved & ~below)


def _unshown(reference: Cloud, candidate: CandidateModel) -> NDArray[np.bool_]:
    """(J,) joints of last links whose surface does not show how they move."""
    model, labels = candidate.model, candidate.labels
    unshown = np.zeros(len(model.parents), dtype=bool)
    for link in last_links(model.parents, labels):
        own = labels == link
        share = visible_share(reference.points[own], reference.normals[own], model.twists[link - 1])
        unshown[link - 1] = share < VISIBLE
    return unshown
