"""Choose the joints of a tree so that congruent parts have congruent joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.doubt import ambiguity
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint
from autourdf_ros.estimation.parts.symmetry.ranking.self_symmetry import moved
from autourdf_ros.estimation.parts.symmetry.stated_probability import calibrated
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]
Edge = tuple[int, int]
ALL = slice(None)
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
    all together make most probable is first on each. Its probability is the geometric mean of all:
    copies of one shape are no independent evidence.

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


@dataclass(frozen=True)
class _Joints:
    """Joints as arrays (..., 3) of axes and points, and (...) whether each slides."""

    slides: NDArray[np.bool_]
    axes: Array
    points: Array

    @classmethod
    def of(cls, candidates: Sequence[JointCandidate]) -> _Joints:
        """Take N joints."""
        return cls(
            np.array([one.type == "prismatic" for one in candidates]),
            np.array([one.axis for one in candidates]),
            np.array([one.point for one in candidates]),
        )

    def moved(self, motions: Array) -> _Joints:
        """Return the joints (N), each moved by its own motions (N, K, 4, 4), as (N, K)."""
        turns = motions[..., :3, :3]
        axes = (turns @ self.axes[:, None, :, None])[..., 0]
        points = (turns @ self.points[:, None, :, None])[..., 0] + motions[..., :3, 3]
        return _Joints(np.broadcast_to(self.slides[:, None], axes.shape[:2]), axes, points)

    def same(self, others: _Joints, offset: float, options: SymmetryOptions) -> NDArray[np.bool_]:
        """Return whether joints are others, all (...), to a tolerance of congruence.

        Args:
            others: Of a shape that fits.
            offset: Distance (m) below which two lines are one.
            options: Of the method.
        """
        sines = np.linalg.norm(np.cross(self.axes, others.axes), axis=-1)
        apart = np.linalg.norm(np.cross(self.points - others.points, self.axes), axis=-1)
        parallel = sines <= np.sin(np.radians(options.same_angle))
        return np.asarray(
            (self.slides == others.slides) & parallel & (self.slides | (apart < offset))
        )

    def at(self, *index: Any) -> _Joints:
        """Return joints by an index."""
        return _Joints(self.slides[index], self.axes[index], self.points[index])


def _pooled(
    chosen: Chosen,
    motions: Mapping[Edge, Array],
    parts: Sequence[PreparedPart],
    options: SymmetryOptions,
) -> Chosen:
    """Rank the candidates of a class of edges together."""
    pool = [(one, edge) for edge, candidates in chosen.items() for one in candidates]
    back = {edge: np.linalg.inv(motion[0]) for edge, motion in motions.items()}
    given = _Joints.of([one for one, _ in pool])
    totals, matched = np.zeros(len(pool)), {}
    for edge, candidates in chosen.items():
        ways = np.array([motions[edge] @ back[source] for _, source in pool])
        offset = options.same_offset * parts[edge[1]].diagonal
        scores, owners, mapped = _matches(given.moved(ways), candidates, offset, options)
        totals += scores
        matched[edge] = owners, mapped
    order = np.argsort(-totals, kind="stable")
    result: Chosen = {}
    for edge, (owners, mapped) in matched.items():
        offset = options.same_offset * parts[edge[1]].diagonal
        ranked = _distinct(mapped, order, offset, options)
        powers = np.exp((totals[ranked] - totals[ranked[0]]) / len(chosen))
        shares = powers / powers.sum()
        result[edge] = tuple(
            replace(
                chosen[edge][owners[i]] if owners[i] >= 0 else _mapped(pool[i][0], mapped.at(i)),
                probability=float(share),
            )
            for i, share in zip(ranked, shares, strict=True)
        )
    return result


def _matches(
    mapped: _Joints,
    candidates: Sequence[JointCandidate],
    offset: float,
    options: SymmetryOptions,
) -> tuple[Array, NDArray[np.int64], _Joints]:
    """Which of an edge's candidates joints are that are mapped to it in several ways (N, K).

    Returns:
        Of the best way: logarithms (N,) of the probability, small where the edge has no such
        candidate; the numbers (N,) of the candidates, -1 where it has none; and the joints (N),
        as the edge has them or else as they are mapped.
    """
    own = _Joints.of(candidates)
    same = own.at(None, None).same(mapped.at(ALL, ALL, None), offset, options)
    firsts = np.where(same.any(axis=2), same.argmax(axis=2), -1)
    known = np.log([max(one.probability, 1e-9) for one in candidates])
    least = float(np.log(options.unseen))
    scores = np.where(firsts >= 0, np.maximum(known[firsts], least), least)
    rows = np.arange(len(scores))
    ways = scores.argmax(axis=1)
    owners, best = firsts[rows, ways], mapped.at(rows, ways)
    taken = (owners >= 0)[:, None]
    found = _Joints(
        best.slides,
        np.where(taken, own.axes[owners], best.axes),
        np.where(taken, own.points[owners], best.points),
    )
    return scores[rows, ways], owners, found


def _distinct(
    joints: _Joints, order: NDArray[np.int64], offset: float, options: SymmetryOptions
) -> list[int]:
    """Numbers of the first joints (N) in an order that differ from all before them."""
    left, found = order, list[int]()
    while len(left) and len(found) < options.alternatives:
        found.append(int(left[0]))
        left = left[~joints.at(left).same(joints.at(left[0]), offset, options)]
    return found


def _mapped(candidate: JointCandidate, joint: _Joints) -> JointCandidate:
    return replace(candidate, axis=joint.axes, point=joint.points, source="congruent part")


def _edge_joint(
    edge: Edge, candidates: tuple[JointCandidate, ...], options: SymmetryOptions
) -> EdgeJoint:
    candidates = calibrated(candidates, options.calibration)
    ambiguous, reason = ambiguity(candidates, options)
    return EdgeJoint(*edge, candidates, ambiguous, reason)
