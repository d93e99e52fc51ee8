"""Choose the joints of a tree so that congruent parts have congruent joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.calibration import calibrated
from autourdf_ros.estimation.parts.symmetry.doubt import ambiguity
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint
from autourdf_ros.estimation.parts.symmetry.ranking.self_symmetry import moved
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]
Edge = tuple[int, int]
Chosen = dict[Edge, tuple[JointCandidate, ...]]


def agree(
    edges: Sequence[Edge],
    pair_joints: Mapping[Edge, PairJoint],
    groups: Sequence[CongruentGroup],
    parts: Sequence[PreparedPart],
    options: SymmetryOptions = SymmetryOptions(),  # noqa: B008  (frozen)
) -> tuple[EdgeJoint, ...]:
    """Choose the joint of every edge of a tree.

    Edges whose parents are the same or congruent and whose children are congruent are one class:
    the candidates of all are mapped onto each by the motion between the children, and the one that
    all together make most probable is first on each.

    Args:
        edges: (parent, child) numbers.
        pair_joints: By (first, second) with first < second; every edge is in it.
        groups: Congruent parts.
        parts: All parts.
        options: Of the method.

    Returns:
        In the order of `edges`, but without those that have no candidate.
    """
    chosen = {edge: pair_joints[_key(edge)].candidates for edge in edges}
    for members, motions in _classes(edges, groups):
        contacts = [pair_joints[_key(edge)].contact for edge in members]
        some = {
            edge: motion
            for edge, motion in zip(members, _placed(contacts, motions, options), strict=True)
            if motion is not None and chosen[edge]
        }
        if len(some) > 1:
            chosen |= _pooled({edge: chosen[edge] for edge in some}, some, parts, options)
    return tuple(_edge_joint(edge, chosen[edge], options) for edge in edges if chosen[edge])


def _key(edge: Edge) -> Edge:
    return min(edge), max(edge)


def _classes(
    edges: Sequence[Edge], groups: Sequence[CongruentGroup]
) -> list[tuple[list[Edge], list[Array]]]:
    """Edges with congruent parents and children, and the motions (K, 4, 4) of each child."""
    group_of = {part: number for number, group in enumerate(groups) for part in group.members}
    found: dict[tuple[int, int], list[Edge]] = {}
    for parent, child in edges:
        if child in group_of:
            key = group_of.get(parent, -1 - parent), group_of[child]
            found.setdefault(key, []).append((parent, child))
    classes = []
    for (_, number), members in found.items():
        if len(members) > 1:
            group = groups[number]
            motions = [group.motions[group.members.index(child)] for _, child in members]
            classes.append((members, motions))
    return classes


def _placed(
    contacts: Sequence[ContactRegion | None], motions: Sequence[Array], options: SymmetryOptions
) -> list[Array | None]:
    """For each edge the motion (1, 4, 4) that maps the first one's contact best; None where none.

    So congruent children are kept apart that are joined at different places.
    """
    first = contacts[0]
    if first is None or any(contact is None for contact in contacts):
        return list(motions)
    base = np.linalg.inv(motions[0][0])
    limit = options.same_contact * _radius(first.points)
    placed: list[Array | None] = []
    for contact, maps in zip(contacts, motions, strict=True):
        assert contact is not None
        tree = cKDTree(contact.points)
        gaps = [tree.query(moved(motion @ base, first.points))[0].mean() for motion in maps]
        best = int(np.argmin(gaps))
        placed.append(maps[best : best + 1] if gaps[best] < limit else None)
    return placed


def _radius(points: Array) -> float:
    return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _pooled(
    chosen: Chosen,
    motions: Mapping[Edge, Array],
    parts: Sequence[PreparedPart],
    options: SymmetryOptions,
) -> Chosen:
    """Rank the candidates of a class of edges together."""
    pool: list[tuple[JointCandidate, Edge]] = [
        (candidate, edge) for edge, candidates in chosen.items() for candidate in candidates
    ]
    totals, matches = [], []
    for candidate, source in pool:
        back = np.linalg.inv(motions[source][0])
        mapped = [
            _best_match(candidate, motions[edge] @ back, chosen[edge], parts[edge[1]], options)
            for edge in chosen
        ]
        totals.append(sum(score for score, _ in mapped))
        matches.append([one for _, one in mapped])
    order = np.argsort(-np.array(totals), kind="stable")
    result: Chosen = {}
    for column, edge in enumerate(chosen):
        ranked: list[JointCandidate] = []
        scores: list[float] = []
        for i in order:
            one = matches[i][column]
            if not any(_same(one, other, parts[edge[1]], options) for other in ranked):
                ranked.append(one)
                scores.append(totals[i])
        ranked, scores = ranked[: options.alternatives], scores[: options.alternatives]
        powers = np.exp((np.array(scores) - scores[0]) / np.sqrt(len(chosen)))
        result[edge] = tuple(
            replace(one, probability=float(power / powers.sum()))
            for one, power in zip(ranked, powers, strict=True)
        )
    return result


def _best_match(
    candidate: JointCandidate,
    motions: Array,
    candidates: Sequence[JointCandidate],
    part: PreparedPart,
    options: SymmetryOptions,
) -> tuple[float, JointCandidate]:
    """Logarithm of the probability of a candidate mapped to an edge, and what it is there.

    Of all motions the best. Where the edge has no such candidate, it is the mapped one, with a
    small probability.
    """
    found: tuple[float, JointCandidate] | None = None
    for motion in motions:
        mapped = _mapped(candidate, motion)
        score, one = float(np.log(options.unseen)), mapped
        for own in candidates:
            if _same(own, mapped, part, options):
                score, one = max(score, float(np.log(max(own.probability, 1e-9)))), own
                break
        if found is None or score > found[0]:
            found = score, one
    assert found is not None
    return found


def _mapped(candidate: JointCandidate, motion: Array) -> JointCandidate:
    axis = motion[:3, :3] @ candidate.axis
    point = motion[:3, :3] @ candidate.point + motion[:3, 3]
    return replace(candidate, axis=axis, point=point, source="congruent part")


def _same(
    first: JointCandidate, second: JointCandidate, part: PreparedPart, options: SymmetryOptions
) -> bool:
    """Whether two candidates are the same joint, to a tolerance of congruence."""
    if first.type != second.type:
        return False
    if np.linalg.norm(np.cross(first.axis, second.axis)) > np.sin(np.radians(options.same_angle)):
        return False
    offset = np.cross(first.point - second.point, first.axis)
    limit = options.same_offset * part.diagonal
    return first.type == "prismatic" or bool(np.linalg.norm(offset) < limit)


def _edge_joint(
    edge: Edge, candidates: tuple[JointCandidate, ...], options: SymmetryOptions
) -> EdgeJoint:
    candidates = calibrated(candidates, options.calibration)
    ambiguous, reason = ambiguity(candidates, options)
    return EdgeJoint(*edge, candidates, ambiguous, reason)
