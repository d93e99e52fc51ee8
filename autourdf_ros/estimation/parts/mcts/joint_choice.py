"""Rank, refine and choose the joint of an edge (paper, III.D.3 and lines 14 to 19, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.mcts.contact_statistic import (
    ContactStatistic,
    contact_statistic,
    proposed_axes,
)
from autourdf_ros.estimation.parts.mcts.part_solid import PartSolid
from autourdf_ros.estimation.parts.mcts.virtual_linkage import (
    LinkageCost,
    Motion,
    VirtualLinkage,
    by_direction,
    virtual_linkage,
)
from autourdf_ros.geometry.arrays import Array

SAME_AXIS = np.radians(1.0)
"""Angle below which two refined candidates of a type are one answer."""


@dataclass(frozen=True)
class _Proposal:
    motion: Motion
    pivot: Array
    axis: Array
    source: str


def ranked_joints(
    parent: PartSolid, child: PartSolid, options: MctsOptions, seed: int
) -> tuple[JointCandidate, ...]:
    """Return the joints that may connect two parts, the best first.

    Revolute candidates come first if the best one's score exceeds ζ times that of the best
    prismatic one; within a type the score ranks.

    Args:
        parent: Whose signed distance counts.
        child: Whose samples move.
        options: Of the method.
        seed: Of random directions and subsamples.
    """
    rng = np.random.default_rng((seed, parent.index, child.index))
    statistic = contact_statistic(parent, child, options)
    diagonal = min(parent.diagonal, child.diagonal)
    lengths = diagonal, statistic.radius, statistic.gap
    linkage = virtual_linkage(parent.field, child.points, statistic.centre, lengths, options)
    light = linkage.subsampled(options.subsample, rng)
    proposals = _proposals(statistic, options, rng)
    found = {
        motion: _refined(
            [p for p in proposals if p.motion == motion], linkage, light, statistic, options
        )
        for motion in ("revolute", "prismatic")
    }
    first = found["revolute"][0].score > options.type_bias * found["prismatic"][0].score
    order = ("revolute", "prismatic") if first else ("prismatic", "revolute")
    return tuple(candidate for motion in order for candidate in found[motion])


def _proposals(
    statistic: ContactStatistic, options: MctsOptions, rng: np.random.Generator
) -> list[_Proposal]:
    axes = proposed_axes(statistic, options.random_axes, rng)
    slides = [_Proposal("prismatic", statistic.centre, axis, source) for source, axis in axes]
    turns = [
        _Proposal("revolute", statistic.centre + along * statistic.radius * axis, axis, source)
        for source, axis in axes
        for along in options.pivots
    ]
    return turns + slides


def _refined(
    proposals: list[_Proposal],
    linkage: VirtualLinkage,
    light: VirtualLinkage,
    statistic: ContactStatistic,
    options: MctsOptions,
) -> list[JointCandidate]:
    """Rank on subsampled points, refine the top K on all, and keep each answer once."""
    costs = [light.cost(one.motion, one.pivot, one.axis).total for one in proposals]
    best: list[JointCandidate] = []
    axes: list[Array] = []
    for number in np.argsort(costs, kind="stable"):
        if len(best) == options.refined:
            break
        one = proposals[number]
        if any(_same(one.axis, axis) for axis in axes):
            continue  # the pivot slid along the axis: one motion, refined once
        axes.append(one.axis)
        best.append(_refine(one, linkage, statistic, options.refinements))
    kept: list[JointCandidate] = []
    for candidate in sorted(best, key=lambda candidate: -candidate.score):
        if not any(_same(candidate.axis, other.axis) for other in kept):
            kept.append(candidate)
    return kept


def _refine(
    start: _Proposal, linkage: VirtualLinkage, statistic: ContactStatistic, iterations: int
) -> JointCandidate:
    """Minimise J over a and, where it turns, p, in units of the contact's radius."""
    turns, unit = start.motion == "revolute", statistic.radius

    def place(x: Array) -> tuple[Array, Array]:
        axis = x[:3] / np.linalg.norm(x[:3])
        return axis, statistic.centre + unit * x[3:] if turns else start.pivot

    def objective(x: Array) -> tuple[float, Array]:
        axis, pivot = place(x)
        cost = linkage.cost(start.motion, pivot, axis)
        by_axis = by_direction(x[:3], cost.by_axis)
        return cost.total, np.append(by_axis, unit * cost.by_pivot) if turns else by_axis

    offset = (start.pivot - statistic.centre) / unit
    x0 = np.append(start.axis, offset) if turns else start.axis
    found = minimize(objective, x0, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    axis, pivot = place(found.x)
    if turns:  # of all points of the axis, the one nearest to the contact
        pivot = pivot + axis * (axis @ (statistic.centre - pivot))
    return _candidate(start, axis, pivot, linkage.cost(start.motion, pivot, axis))


def _candidate(start: _Proposal, axis: Array, pivot: Array, cost: LinkageCost) -> JointCandidate:
    return JointCandidate(
        type=start.motion,
        axis=axis,
        point=pivot,
        score=cost.score,
        features={
            "consistency": cost.consistency,
            "collision": cost.collision,
            "pivot": cost.pivot,
        },
        source=start.source,
    )


def _same(first: Array, second: Array) -> bool:
    return bool(abs(first @ second) > np.cos(SAME_AXIS))
