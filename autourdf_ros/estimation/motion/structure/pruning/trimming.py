"""Take joints from a candidate that all frames together do not need.

An iteration finds a candidate in a few frames, in which it may take what fits them by chance for
the motion of a link. In the frames that it did not choose, chance does not go on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

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
from autourdf_ros.geometry.point_cloud import Cloud

LEAST_SAVING = 0.1  # mean cost per point and frame; a flange saves 1.3, an invented link 0.0
MOST_LEFT = 2.0  # times the cost that the best link of the same motor leaves; a second finger: 1.2
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
    motors, alone = candidate.motor_columns, candidate.alone_on_motors
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
