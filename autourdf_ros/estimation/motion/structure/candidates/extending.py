"""Extend a candidate model by links: chains of joints, or links that a search adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidate_building import TREE_NOISE
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    joint_anchors,
)
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.estimation.motion.structure.candidates.intermediate_candidates import (
    Chain,
    LinkMotions,
    find_chains,
    with_chains,
)
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import PosedCandidate
from autourdf_ros.estimation.motion.structure.relabelling import labels_by
from autourdf_ros.geometry.arrays import Array

LOST_COST = 2.0  # mean cost per point and frame above which a model does not explain a link
LEAST_LOST = 0.02  # share of the points that such a link must have, for its motion to count


def with_intermediate_links(
    frames: FrameSet,
    candidate: CandidateModel,
    *,
    before: Array,
    lengths: NDArray[np.int64],
    readings: Array | None = None,
) -> CandidateModel:
    """Put a chain of joints where one joint does not explain how a link moves (`find_chains`).

    The links in between get the points that they explain best, if any. The joints are those of the
    tree again: where they were adjusted, one that is missing has corrupted others.

    Args:
        frames: the reference and the F frames that the candidate was found in.
        candidate: the candidate, with J joints.
        before: (N,) cost of every reference point in these frames by the model until now: a link
            whose points that one explains needs no more joints.
        lengths: (J,) joints that it had in the place of each (`joints_between`): more than one is
            why it explained the link.
        readings: (F, M) of the motors, relative to the reference frame, if there are any.

    Returns:
        The longer candidate, or the same one where every joint is enough.
    """
    tree, bodies = candidate.tree, candidate.segmentation.bodies
    model = replace(
        candidate.model, parents=tree.parents, twists=tree.twists, revolute=tree.revolute
    )
    motions = LinkMotions(model, tree.values, tree.bodies, bodies)
    suspects = _unexplained(candidate, before, lengths)
    chains = find_chains(motions, suspects, TREE_NOISE * frames.noise)
    if not chains:
        return candidate
    longer = with_chains(model, tree.values, chains)
    model, joints = longer.model, longer.joints
    place = np.flatnonzero(longer.links >= 0)
    labels = np.where(candidate.labels >= 0, place[candidate.labels], -1)
    lines = model.parents, model.twists, model.revolute
    model = replace(model, anchors=joint_anchors(frames.reference.points, labels, *lines))
    states = States(longer.values, bodies.poses[:, candidate.segmentation.root])
    labels = labels_by(frames, labels, model, states)
    costs, margins = _with_chains_judged(tree, chains)
    return replace(
        candidate,
        model=model,
        surface=surface_of(frames.reference, labels),
        states=states,
        tree=CandidateTree(
            np.where(longer.links >= 0, tree.bodies[longer.links], -1),
            model.parents,
            model.twists,
            model.revolute,
            states.values,
            costs[joints],
            margins[joints],
            motor_fits(states.values, readings),
        ),
        labels=labels,
    )


def _with_chains_judged(tree: CandidateTree, chains: Sequence[Chain]) -> tuple[Array, Array]:
    """Costs and margins (J,) of the tree's joints with chains in the place of some."""
    costs, margins = tree.costs.copy(), tree.margins.copy()
    for chain in chains:
        costs[chain.joint] = chain.cost
        margins[chain.joint] *= (1 + chain.before) / (1 + chain.cost)
    return costs, margins


def _unexplained(candidate: CandidateModel, before: Array, lengths: NDArray[np.int64]) -> list[int]:
    """Joints that may not explain how their links move; arguments as there."""
    return [
        joint
        for joint in range(len(candidate.tree.parents))
        if (own := candidate.labels == joint + 1).mean() >= LEAST_LOST
        and (before[own].mean() > LOST_COST or lengths[joint] > 1)
    ]


def joints_between(known: CandidateModel, found: CandidateModel) -> NDArray[np.int64]:
    """Return how many joints (J,) a known model has between the links that each found joint joins.

    A link is taken for the one that most of its points are on; where one has no points, 1.
    """
    links = [
        _likeliest(known.labels[found.labels == b]) for b in range(len(found.model.parents) + 1)
    ]
    paths = [_path(known.model.parents, link) for link in links]
    pairs = zip(found.model.parents, range(1, len(links)), strict=True)
    return np.array(
        [
            len(paths[parent] ^ paths[child]) if None not in (links[parent], links[child]) else 1
            for parent, child in pairs
        ]
    )


def _likeliest(labels: NDArray[np.int64]) -> int | None:
    """The link that most of some points are on, if any."""
    known = labels[labels >= 0]
    return int(np.bincount(known).argmax()) if len(known) else None


def _path(parents: NDArray[np.int64], link: int | None) -> set[int]:
    """The joints between the root and a link, by their child links."""
    path: set[int] = set()
    while link:
        path.add(link)
        link = int(parents[link - 1])
    return path


def with_links(
    frames: FrameSet,
    candidate: CandidateModel,
    states: States,
    add: Callable[[FrameSet, PosedCandidate], PosedCandidate],
    *,
    readings: Array | None,
) -> CandidateModel:
    """Add the links that `add` finds lacking.

    Args:
        frames: the reference and F frames.
        candidate: the candidate.
        states: its own in the frames, which the outcome's are of, too.
        add: returns a posed candidate with more links, or the same one.
        readings: (F, M) of the motors in the frames, if there are any.

    Returns:
        The larger candidate, or the same one where it lacks no link.
    """
    tree = candidate.tree
    before = PosedCandidate(
        candidate.model,
        states.values,
        states.base,
        candidate.labels,
        tree.costs / len(tree.values),
        tree.margins,
    )
    after = add(frames, before)
    if after is before:
        return candidate
    model = after.model
    return replace(
        candidate,
        model=model,
        surface=surface_of(frames.reference, after.labels),
        states=States(after.values, after.base),
        tree=CandidateTree(
            np.arange(len(model.parents) + 1),
            model.parents,
            model.twists,
            model.revolute,
            after.values,
            after.costs * len(after.values),
            after.margins,
            motor_fits(after.values, readings),
        ),
        labels=after.labels,
        pieces=(),
    )
