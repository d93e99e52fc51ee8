"""Add the links that a hypothesis lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.common.rigid_bodies import Noise
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.structure.candidate_model import (
    TREE_NOISE,
    CandidateModel,
    joint_anchors,
)
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, motor_fits
from autourdf_ros.estimation.motion.structure.candidates.intermediate_candidates import (
    MovedTree,
    find_chains,
    with_chains,
)
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import (
    MovedModel,
    Scene,
)
from autourdf_ros.estimation.motion.structure.relabelling import labels_by
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

LOST_COST = 2.0  # mean cost per point and frame above which a model does not explain a link
LEAST_LOST = 0.02  # share of the points that such a link must have, for its motion to be believed


def with_intermediate_links(
    reference: Cloud,
    frames: list[Cloud],
    candidate: CandidateModel,
    neighbours: csr_matrix,
    *,
    noise: Noise,
    before: Array,
    lengths: NDArray[np.int64],
    readings: Array | None = None,
) -> CandidateModel:
    """The hypothesis with a chain of joints where one joint does not explain how a link moves.

    before: (N,) cost of every reference point in these frames by the model until now: a link whose
    points that one explains needs no more joints. lengths: (J,) joints that it had in the place of
    each (`joints_between`): by more than one, it is no wonder that it did. The links in between
    (`find_chains`) get the points that they explain best, if any. The joints are those of the tree
    again: where they were adjusted, one that is missing has spoilt others.
    """
    tree, bodies = candidate.tree, candidate.segmentation.bodies
    model = replace(
        candidate.model, parents=tree.parents, twists=tree.twists, revolute=tree.revolute
    )
    suspects = [
        joint
        for joint in range(len(tree.parents))
        if (own := candidate.labels == joint + 1).mean() >= LEAST_LOST
        and (before[own].mean() > LOST_COST or lengths[joint] > 1)
    ]
    moved = MovedTree(model, tree.values, tree.bodies, bodies)
    chains = find_chains(moved, suspects, TREE_NOISE * noise.total)
    if not chains:
        return candidate
    extended = with_chains(model, tree.values, chains)
    model, joints = extended.model, extended.joints
    place = np.flatnonzero(extended.links >= 0)
    labels = np.where(candidate.labels >= 0, place[candidate.labels], -1)
    anchors = joint_anchors(reference.points, labels, model.parents, model.twists, model.revolute)
    model = replace(model, anchors=anchors)
    states = States(extended.values, bodies.poses[:, candidate.segmentation.root])
    labels = labels_by(reference, frames, labels, model, states, neighbours, noise)
    costs, margins = tree.costs.copy(), tree.margins.copy()
    for chain in chains:
        costs[chain.joint] = chain.cost
        margins[chain.joint] *= (1 + chain.before) / (1 + chain.cost)
    return replace(
        candidate,
        model=model,
        surface=surface_of(reference, labels),
        states=states,
        tree=CandidateTree(
            np.where(extended.links >= 0, tree.bodies[extended.links], -1),
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


def joints_between(known: CandidateModel, found: CandidateModel) -> NDArray[np.int64]:
    """How many joints (J,) a known model has between the links that each joint of `found` joins.

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
    """The joints between the root and a link, by the links that they carry."""
    path: set[int] = set()
    while link:
        path.add(link)
        link = int(parents[link - 1])
    return path


def with_links(
    scene: Scene,
    candidate: CandidateModel,
    states: States,
    add: Callable[[Scene, MovedModel], MovedModel],
    *,
    readings: Array | None,
) -> CandidateModel:
    """The hypothesis with the links that `add` finds lacking, itself without any.

    states: its own in the scene's F frames, which the outcome's are of, too. readings: (F, M) of
    the motors in them, if there are any.
    """
    tree = candidate.tree
    before = MovedModel(
        candidate.model,
        states.values,
        states.base,
        candidate.labels,
        tree.costs / len(tree.values),
        tree.margins,
    )
    after = add(scene, before)
    if after is before:
        return candidate
    model = after.model
    return replace(
        candidate,
        model=model,
        surface=surface_of(scene.reference, after.labels),
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
    )
