"""Weigh a type model's answers: votes of congruent joints, then probabilities of alternatives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import (
    EdgeJoint,
    PairJointType,
)
from autourdf_ros.estimation.parts.joint_types.type_model import TYPES, TypeAnswer
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions
from autourdf_ros.estimation.parts.result.found_kinematics import GUESS

Clusters = Sequence[Sequence[int]]

VOTE_SHARE = "type model"
"""Key of a candidate's evidence: the share of its group's votes for its type."""


@dataclass(frozen=True)
class TypeVote:
    """What the answers for a group of congruent joints amount to.

    Attributes:
        type: With the majority of the votes.
        shares: Of the votes for each type, weighted by confidence.
        count: Answers in the group that are no abstentions.
        reliability: Probability that the vote is right.
    """

    type: PairJointType
    shares: dict[PairJointType, float]
    count: int
    reliability: float


def decide_types(
    assembly: PartAssembly,
    joints: Sequence[EdgeJoint],
    clusters: Clusters,
    answers: Sequence[TypeAnswer | None],
    options: TypeOptions = TypeOptions(),  # noqa: B008  (frozen)
) -> tuple[tuple[EdgeJoint, ...], tuple[str, ...]]:
    """Weigh all answers, and record each decision.

    Every alternative gets its type's share of the votes as evidence. An ambiguous joint is ranked
    anew by the posterior probabilities. The order of a joint that the geometry decides stays; where
    the vote contradicts it, the joint gets a warning.

    Args:
        assembly: The parts.
        joints: Of the tree.
        clusters: Groups of congruent parts, by number.
        answers: Of every joint; None for an abstention.
        options: Of the weights.

    Returns:
        The joints, and sentences for the user about what was decided.
    """
    votes = group_votes(joints, clusters, answers, options)
    decided, notes = [], []
    for joint, answer, vote in zip(joints, answers, votes, strict=True):
        if vote is None:
            decided.append(joint)
            continue
        weighed, note = _decided(assembly, joint, answer, vote, options)
        decided.append(weighed)
        notes.append(note)
    return tuple(decided), tuple(notes)


def group_votes(
    joints: Sequence[EdgeJoint],
    clusters: Clusters,
    answers: Sequence[TypeAnswer | None],
    options: TypeOptions,
) -> tuple[TypeVote | None, ...]:
    """Return the vote of every joint's group; None without a majority.

    Kinematify groups joints by the cluster of the child. Here the parents must be congruent as
    well, or the same part: equal links of an arm may have joints of different types.
    """
    cluster = {number: k for k, group in enumerate(clusters) for number in group}
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, joint in enumerate(joints):
        groups[_kind(joint.parent, cluster), _kind(joint.child, cluster)].append(number)
    votes: list[TypeVote | None] = [None] * len(joints)
    for members in groups.values():
        given = [answer for number in members if (answer := answers[number]) is not None]
        vote = _vote(given, options)
        for number in members:
            votes[number] = vote
    return tuple(votes)


def _kind(part: int, cluster: dict[int, int]) -> int:
    """A number for a part's cluster, or one below zero for a part without one."""
    return cluster.get(part, -1 - part)


def _vote(answers: Sequence[TypeAnswer], options: TypeOptions) -> TypeVote | None:
    weights = {kind: sum(a.confidence for a in answers if a.type == kind) for kind in TYPES}
    total = sum(weights.values())
    if total <= 0:
        return None
    shares = {kind: weight / total for kind, weight in weights.items()}
    best = max(TYPES, key=lambda kind: shares[kind])
    claimed = [a.confidence for a in answers if a.type == best]
    reliability = min(shares[best] * sum(claimed) / len(claimed), options.reliability)
    # At the share of chance an answer says nothing.
    if shares[best] <= options.majority or reliability <= 1 / len(TYPES):
        return None
    return TypeVote(best, shares, len(answers), reliability)


def _decided(
    assembly: PartAssembly,
    joint: EdgeJoint,
    answer: TypeAnswer | None,
    vote: TypeVote,
    options: TypeOptions,
) -> tuple[EdgeJoint, str]:
    """The joint with the vote as evidence, and a sentence about what it decides."""
    names = f"{assembly.parts[joint.parent].name} and {assembly.parts[joint.child].name}"
    said = f"the type model says {vote.type} ({100 * vote.shares[vote.type]:.0f} % of {vote.count})"
    seen = tuple(
        replace(one, features={**one.features, VOTE_SHARE: vote.shares[one.type]})
        for one in joint.alternatives
    )
    joint = replace(joint, alternatives=seen)
    if joint.best.source == GUESS:
        return joint, f"joint between {names}: {said}; no axis is known, and the guess stays"
    if not joint.ambiguous:
        if vote.type == joint.best.type:
            return joint, f"joint between {names}: {said}, as the geometry"
        doubt = f"{said} of the joint between {names}; the geometry is clear: {joint.best.type}"
        return replace(joint, warnings=(*joint.warnings, doubt)), f"{doubt}, which is kept"
    ranked, result = _ranked(joint, answer, vote, options)
    if ranked.ambiguous:  # the reason speaks of the order before the vote
        ranked = replace(ranked, reason=f"{joint.reason}; {said}: {result}")
    return ranked, f"joint between {names}: {said}: {result}"


def _ranked(
    joint: EdgeJoint, answer: TypeAnswer | None, vote: TypeVote, options: TypeOptions
) -> tuple[EdgeJoint, str]:
    """An ambiguous joint in the order of its posterior probabilities, and what changed."""
    if all(one.type != vote.type for one in joint.alternatives):
        return joint, "none of its alternatives is of that type"
    chosen = None if answer is None or answer.type != vote.type else answer.alternative
    prior, known = _priors(joint)
    share = posterior(prior, joint, vote, chosen, options)
    order = np.argsort(-share, kind="stable")
    ranked = tuple(
        replace(one, probability=float(share[k])) if known else one
        for k, one in ((k, joint.alternatives[k]) for k in order)
    )
    result = (
        "its first alternative stays"
        if order[0] == 0
        else (f"alternative {order[0] + 1} becomes the first")
    )
    joint = replace(joint, alternatives=ranked)
    if known and share[order[0]] >= options.sure:
        decided = replace(joint, ambiguous=False, reason="")
        return decided, f"{result}, which decides between the alternatives"
    return joint, f"{result}; the joint stays ambiguous"


def _priors(joint: EdgeJoint) -> tuple[NDArray[np.float64], bool]:
    """The alternatives' probabilities, and whether the method says them; equal ones otherwise."""
    given = np.array([one.probability for one in joint.alternatives])
    if np.isfinite(given).all() and given.sum() > 0:
        return given / max(1.0, given.sum()), True
    return np.full(len(given), 1.0 / len(given)), False


def posterior(
    prior: NDArray[np.float64],
    joint: EdgeJoint,
    vote: TypeVote,
    chosen: int | None,
    options: TypeOptions,
) -> NDArray[np.float64]:
    """Return the alternatives' probabilities after a vote, by Bayes' rule.

    P(vote | joint) is the vote's reliability r where the type agrees, else (1 − r)/2. The number of
    an axis, among the n that are shown of that type, is right with the same r, and independent of
    a joint of another type. What is left of the prior is joints that are not listed: the vote is
    independent of these, too.

    Args:
        prior: (A,) of the alternatives, with a sum of at most 1.
        joint: With these alternatives.
        vote: Of its group.
        chosen: Number, from 1, of the alternative that the model names; None without one.
        options: Of the weights.
    """
    same = np.array([one.type == vote.type for one in joint.alternatives])
    r, others = vote.reliability, len(TYPES) - 1
    likelihood = np.where(same, r, (1 - r) / others)
    count = int(same[: options.shown].sum())
    if chosen is not None and count > 1:
        number = np.arange(len(prior)) + 1
        axis = np.where(number == chosen, r, (1 - r) / (count - 1))
        could = same & (number <= options.shown)
        likelihood = likelihood * np.where(could, axis, 1 / count)
    else:
        count = 1
    rest = max(0.0, 1.0 - float(prior.sum())) / (len(TYPES) * count)
    weighed = prior * likelihood
    return np.asarray(weighed / (weighed.sum() + rest))
