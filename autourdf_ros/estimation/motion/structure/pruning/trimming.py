"""Take joints from a candidate that all frames together do not need.

An iteration finds a candidate in a few frames, in which it may take what fits them by chance for
the motion of a link. In the frames that it did not choose, chance does not go on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.visibility import VISIBLE, visible_share
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import spread_frames
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.frame_set import GATE
from autourdf_ros.estimation.motion.structure.candidate_building import TREE_NOISE
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
)
from autourdf_ros.estimation.motion.structure.candidate_tree import (
    CandidateTree,
    body_gaps,
    margins_of,
)
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.savings import (
    LEAST_CONFIRMED,
    last_links,
    savings,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

LEAST_SAVING = 0.1  # mean cost per point and frame; a flange saves 1.3, an invented link 0.0
MOST_LEFT = 2.0  # times the cost that the best link of the same motor leaves; a second finger: 1.2
UNMOVED_TURN, UNMOVED_SLIDE = np.radians(2.0), 0.005  # rad, robot sizes, in all inlier frames
IMPROBABLE = 0.01  # probability that such a joint exists, below which it does not
JUDGES = 10  # frames that determine which link might hang elsewhere


def trimmed(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> tuple[CandidateModel, Motion]:
    """Remove the joints of last links that the inlier frames do not need.

    Returns:
        The candidate and its motion without them.
    """
    before = candidate
    while True:
        link = _needless(problem, candidate, motion)
        if link is None:
            break
        candidate = without_link(problem.reference, candidate, link)
        values = np.delete(motion.states.values, link - 1, axis=1)
        motion = replace(motion, states=States(values, motion.states.base))
    if candidate is before:
        return candidate, motion
    return with_margins(problem, candidate, motion), motion


def without_unfounded_joint(
    problem: Problem, candidate: CandidateModel, motion: Motion, exists: Array
) -> tuple[CandidateModel, Motion] | None:
    """Unite two links where nothing shows that they moved against each other.

    They hardly did: a joint at which the initial estimate cut a link in two, and which all frames
    together leave where it is. Or a last link looks alike however its joint moves it: a tube that
    spins may fit better only because all cameras are off alike. A joint that follows a motor stays,
    and one of a link without points.

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
    seen = np.isin(np.arange(len(model.parents) + 1), labels)
    travels = np.ptp(motion.states.values[motion.used], axis=0)
    unmoved = travels < np.where(model.revolute, UNMOVED_TURN, UNMOVED_SLIDE)
    needless = (unmoved & (exists < IMPROBABLE)) | _unshown(problem.reference, candidate)
    needless &= seen[1:] & seen[model.parents] & ~candidate.follow_motors
    if not needless.any():
        return None
    joint = int(np.flatnonzero(needless)[exists[needless].argmin()])
    fewer = without_link(problem.reference, candidate, joint + 1)
    values = np.delete(motion.states.values, joint, axis=1)
    left = replace(motion, states=States(values, motion.states.base))
    return with_margins(problem, fewer, left), left


def _unshown(reference: Cloud, candidate: CandidateModel) -> NDArray[np.bool_]:
    """(J,) joints of last links whose surface does not show how they move."""
    model, labels = candidate.model, candidate.labels
    unshown = np.zeros(len(model.parents), dtype=bool)
    for link in last_links(model.parents, labels):
        own = labels == link
        share = visible_share(reference.points[own], reference.normals[own], model.twists[link - 1])
        unshown[link - 1] = share < VISIBLE
    return unshown


def _inlier_frames(motion: Motion) -> NDArray[np.int64]:
    frames = np.flatnonzero(motion.used)
    return frames[frames > 0]


def _needless(problem: Problem, candidate: CandidateModel, motion: Motion) -> int | None:
    """The last link whose joint saves least, where that is next to nothing.

    One that a motor moves is needed, unless this motor moves another link, too: then it must
    explain its points about as well. What is corrupted otherwise may seem to follow a motor a
    little.
    """
    model, labels = candidate.model, candidate.labels
    motors = np.where(candidate.follow_motors, candidate.tree.motors.columns, -1)
    alone = (motors >= 0) & (np.bincount(motors + 1)[motors + 1] == 1)
    links = [link for link in last_links(model.parents, labels) if not alone[link - 1]]
    if len(model.parents) < 2 or not links:
        return None
    chosen = _inlier_frames(motion)
    poses = body_poses(model, motion.states.values[chosen], motion.states.base[chosen])
    saved = savings(
        problem.reference,
        labels,
        problem.clouds(chosen),
        poses,
        links,
        poses[:, model.parents[np.array(links) - 1]],
        noise=problem.noise,
    )
    turned_by = motors[np.array(links) - 1]
    left = np.array([item.left for item in saved])
    needless = [
        (item.seen, link)
        for link, motor, item in zip(links, turned_by, saved, strict=True)
        if item.known < LEAST_SAVING
        or item.confirmed < LEAST_CONFIRMED
        or (motor >= 0 and item.left > MOST_LEFT * left[turned_by == motor].min())
    ]
    return min(needless)[1] if needless else None


def without_link(reference: Cloud, candidate: CandidateModel, link: int) -> CandidateModel:
    """Return the candidate with a link united with its parent, as in the reference frame."""
    old, tree = candidate.model, candidate.tree
    kept = np.delete(np.arange(len(old.parents)), link - 1)
    parents = np.where(old.parents == link, old.parents[link - 1], old.parents)[kept]
    model = Articulation(
        parents - (parents > link), old.twists[kept], old.revolute[kept], old.anchors[kept]
    )
    labels = np.where(candidate.labels == link, old.parents[link - 1], candidate.labels)
    labels = labels - (labels > link)
    pieces = list(candidate.pieces)
    if pieces:
        pieces[old.parents[link - 1]] += pieces.pop(link)
    return replace(
        candidate,
        model=model,
        surface=surface_of(reference, labels),
        states=replace(candidate.states, values=candidate.states.values[:, kept]),
        tree=CandidateTree(
            np.delete(tree.bodies, link),
            model.parents,
            tree.twists[kept],
            tree.revolute[kept],
            tree.values[:, kept],
            tree.costs[kept],
            tree.margins[kept],
            tree.motors.of(kept),
        ),
        labels=labels,
        pieces=tuple(pieces),
    )


def with_margins(problem: Problem, candidate: CandidateModel, motion: Motion) -> CandidateModel:
    """Return the candidate with the margins of its own tree: joints may have hung elsewhere before.

    As they were where a link has no points.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames.
    """
    reference, labels, model = problem.reference, candidate.labels, candidate.model
    count = len(model.parents) + 1
    if np.bincount(labels[labels >= 0], minlength=count).min() == 0:
        return candidate
    chosen = spread_frames(motion, motion.states.values, JUDGES)
    bodies = refit_bodies(
        reference,
        labels,
        problem.clouds(chosen),
        body_poses(model, motion.states.values[chosen], motion.states.base[chosen]),
        gate=GATE * reference.spacing,
    )
    margins = margins_of(
        model.parents,
        bodies,
        body_gaps(reference.points, labels, count),
        noise=TREE_NOISE * problem.noise,
        spacing=reference.spacing,
        readings=problem.readings_in(chosen),
    )
    return replace(candidate, tree=replace(candidate.tree, margins=margins))
