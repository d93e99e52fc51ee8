"""Assess how sure a model is: joints, their axes, loops, links whose motion hardly shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.common.joint_fit import relative_motion
from autourdf_ros.estimation.common.joint_likelihood import JointEvidence, weigh_chain, weigh_joints
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.common.visibility import VISIBLE, least_visible_share
from autourdf_ros.estimation.motion.adjustment.model_adjustment import FinalModel
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.savings import Saving, last_links, savings
from autourdf_ros.estimation.motion.uncertainty.hidden_ends import HiddenEnd, hidden_ends
from autourdf_ros.estimation.motion.uncertainty.loops import LoopJoint, find_loops
from autourdf_ros.estimation.motion.uncertainty.weak_directions import AxisChanges, weak_directions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

GATE = 4.0  # point spacings
CONFIRMED = 0.5  # share of a saving below which measured points hardly confirm it (`Saving`)


@dataclass(frozen=True)
class ModelUncertainty:
    """The uncertainty of a model of J joints.

    Attributes:
        joints: evidence that they exist, and of their types.
        weak: changes of their axes that the frames hardly show.
        loops: joints that a tree cannot hold.
        round: last links that may turn about their own axes, or slide along themselves, unseen.
        hidden: ends of last links that could turn by themselves unseen, where neither readings nor
            the user say how many joints there are.
    """

    joints: JointEvidence
    weak: AxisChanges
    loops: tuple[LoopJoint, ...]
    round: tuple[int, ...]
    hidden: tuple[HiddenEnd, ...]


def assess_uncertainty(problem: Problem, final: FinalModel) -> ModelUncertainty:
    """Assess a model by the frames that it was adjusted to."""
    candidate, adjustment = final.candidate, final.fitted.adjustment
    model, noise = adjustment.model, problem.noise
    bodies = _seen_bodies(problem, final)
    between = relative_motion(bodies, model.parents, np.arange(1, len(model.parents) + 1))
    joints = _with_unseen(weigh_joints(*between, noise), model, candidate, bodies, noise)
    joints = with_driven_types(_confirmed(joints, problem, final), candidate, problem.metre)
    loops = find_loops(
        model,
        adjustment.states.values,
        bodies,
        problem.reference,
        candidate.labels,
        exists=joints.exists,
        noise=noise,
    )
    weak = weak_directions(adjustment.information, model.revolute, adjustment.noise)
    hidden: tuple[HiddenEnd, ...] = ()
    if problem.readings is None and problem.options.links is None:
        frames = problem.frame_set(final.fitted.frames)
        hidden = hidden_ends(frames, model, adjustment.states, candidate.labels)
    round_links = _round_links(model, problem.reference, candidate)
    return ModelUncertainty(joints, weak, loops, round_links, hidden)


def _with_unseen(
    joints: JointEvidence,
    model: Articulation,
    candidate: CandidateModel,
    bodies: Bodies,
    noise: float,
) -> JointEvidence:
    """The evidence where links have no points: of all joints between those that have (F frames)."""
    seen = np.isin(np.arange(len(model.parents) + 1), candidate.labels)
    exists, revolute = joints.exists.copy(), joints.revolute.copy()
    for last in np.flatnonzero(seen[1:] & ~seen[model.parents]).tolist():
        chain, parent = [last], int(model.parents[last])
        while not seen[parent]:
            chain.append(parent - 1)
            parent = int(model.parents[parent - 1])
        motion, metric = relative_motion(bodies, np.array([parent]), np.array([last + 1]))
        exists[chain] = weigh_chain(motion[:, 0], metric[:, 0], noise, len(chain))
        revolute[chain] = 1.0
    return replace(joints, exists=exists, revolute=revolute)


def _confirmed(joints: JointEvidence, problem: Problem, final: FinalModel) -> JointEvidence:
    """The evidence where last links may only follow points that other frames lack."""
    model, states = final.fitted.adjustment.model, final.fitted.adjustment.states
    labels = final.candidate.labels
    last = last_links(model.parents, labels)
    poses = body_poses(model, states.values, states.base)
    saved = savings(
        problem.reference,
        labels,
        problem.clouds(final.fitted.frames),
        poses,
        last,
        poses[:, model.parents[np.array(last, dtype=np.int64) - 1]],
        noise=problem.noise,
    )
    return replace(joints, exists=no_likelier(joints.exists, last, saved))


def with_driven_types(
    joints: JointEvidence, candidate: CandidateModel, metre: float
) -> JointEvidence:
    """Return the evidence with that of motors which move joints one to one by their types.

    As a joint of the other type such a one would need a ratio, a parameter more, which costs the
    root of the number of observations (Kass and Raftery, 1995).

    Args:
        joints: evidence by the motions alone.
        candidate: the model, its motors matched.
        metre: one metre in robot sizes.
    """
    driven = candidate.follow_motors & ~candidate.geared(metre)
    odds = np.where(driven, np.sqrt(np.maximum(joints.effective, 1)), 1.0)
    odds = np.where(candidate.model.revolute, odds, 1 / odds)
    turns = odds * joints.revolute
    return replace(joints, revolute=turns / (turns + 1 - joints.revolute))


def no_likelier(exists: Array, links: Sequence[int], saved: Sequence[Saving]) -> Array:
    """Limit the probabilities of links' joints to what the frames confirm of their savings.

    Args:
        exists: (J,) probabilities that joints exist.
        links: numbers of some links.
        saved: what the joint of each of them saves.
    """
    result = exists.copy()
    for link, saving in zip(links, saved, strict=True):
        if saving.confirmed < CONFIRMED:
            result[link - 1] = min(result[link - 1], saving.confirmed)
    return result


def _round_links(
    model: Articulation, reference: Cloud, candidate: CandidateModel
) -> tuple[int, ...]:
    """Last links whose surface hides one of their own motions; others' children would show it."""
    labels = candidate.labels
    last = sorted(set(range(1, len(model.parents) + 1)) - set(model.parents.tolist()))
    return tuple(
        link
        for link in last
        if (labels == link).any()
        and least_visible_share(reference.points[labels == link], reference.normals[labels == link])
        < VISIBLE
    )


def _seen_bodies(problem: Problem, final: FinalModel) -> Bodies:
    """The links in the adjusted frames, each registered by itself: no joint holds them together."""
    adjustment, reference = final.fitted.adjustment, problem.reference
    states = adjustment.states
    return refit_bodies(
        reference,
        final.candidate.labels,
        problem.clouds(final.fitted.frames),
        body_poses(adjustment.model, states.values, states.base),
        gate=GATE * reference.spacing,
    )
