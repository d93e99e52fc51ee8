"""Branches for small links, which the graph's nodes are too coarse for: unexplained patches."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autourdf_ros.estimation.common.screw_chain import JointType, ScrewChain
from autourdf_ros.estimation.motion.structure.expansion.branch import Branch, branch_by
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import (
    LEAST_POINTS,
    Expansion,
    ExpansionProblem,
)
from autourdf_ros.estimation.motion.structure.expansion.screw_search import (
    axis_places,
    patch_of,
    search_screws,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores

LEAST_PATCH_GAIN = 15.0  # the same of a piece of it, at first
WORST_NODES = 12
BADLY_EXPLAINED = 1.5  # mean cost of a node's points
PATCHES = 8  # suggestions that are fitted

MotorChoice = Callable[[ExpansionProblem, ScrewChain, int], list[int]]


def coupled_motors(_: ExpansionProblem, chain: ScrewChain, parent: int) -> list[int]:
    """Return the motors of the last links on a parent: they may move another, as a gripper's."""
    return [
        motor
        for joint, motor in enumerate(chain.motors)
        if chain.parents[joint] == parent and joint + 1 not in chain.parents
    ]


def patch_branches(
    problem: ExpansionProblem,
    expansion: Expansion,
    candidates: MotorChoice,
) -> list[Branch]:
    """Return branches for what the tracking lost: patches of points that no body explains.

    Args:
        problem: the frames and readings.
        expansion: the tree until now.
        candidates: returns the motors that may move such a joint on a parent, by its number.
    """
    chain, labels = expansion.chain, expansion.labels
    adjacency = problem.neighbours.tocoo()
    joints = []
    for members in _patches(problem, expansion):
        beside = members[adjacency.row] & (labels[adjacency.col] >= 0)
        joints += [
            (parent, motor, kind, members)
            for parent in np.unique(labels[adjacency.col[beside]]).tolist()
            for motor in candidates(problem, chain, parent)
            for kind in get_args(JointType)
        ]
    found = on_all_cores(lambda joint: _patch_twists(problem, expansion, *joint), joints)
    suggestions = []
    for (parent, motor, kind, members), (twists, costs) in zip(joints, found, strict=True):
        gains = np.sum(members) * (expansion.costs[members].mean() - costs)
        suggestions += [
            (gain, parent, motor, twist, kind, members)
            for gain, twist in zip(gains.tolist(), twists, strict=True)
            if gain > LEAST_PATCH_GAIN / 2
        ]
    suggestions.sort(key=lambda suggestion: -suggestion[0])
    branches = [
        branch_by(problem, expansion, parent, motor, twist, kind, members, small=True)
        for _, parent, motor, twist, kind, members in suggestions[:PATCHES]
    ]
    return [branch for branch in branches if branch.gain > LEAST_PATCH_GAIN]


def _patches(problem: ExpansionProblem, expansion: Expansion) -> list[NDArray[np.bool_]]:
    """Members (N,) of pieces in which a link may hide.

    Connected pieces of what no body explains, the nodes' parts of it, and the nodes that are
    explained worst.
    """
    labels = expansion.labels
    lost = labels < 0
    adjacency = problem.neighbours.tocoo()
    both = lost[adjacency.row] & lost[adjacency.col]
    links = csr_matrix(
        (np.ones(both.sum()), (adjacency.row[both], adjacency.col[both])), (len(labels),) * 2
    )
    whole = np.where(lost, connected_components(links, directed=False)[1], -1)
    parts = np.where(lost, problem.graph.nodes, -1)
    found = [
        pieces == piece
        for pieces in (whole, parts)
        for piece, size in zip(*np.unique(pieces, return_counts=True), strict=True)
        if piece >= 0 and size >= LEAST_POINTS
    ]
    sizes = np.maximum(np.bincount(problem.graph.nodes), 1)
    costs = np.bincount(problem.graph.nodes, expansion.costs) / sizes
    worst = np.argsort(-costs)[:WORST_NODES]
    found += [problem.graph.nodes == node for node in worst if costs[node] > BADLY_EXPLAINED]
    return list(np.unique(np.array(found), axis=0)) if found else []


def _patch_twists(
    problem: ExpansionProblem,
    expansion: Expansion,
    parent: int,
    motor: int,
    kind: JointType,
    members: NDArray[np.bool_],
) -> tuple[Array, Array]:
    """Twists (H, 6) of the likeliest joints of a patch among screws all over it; costs (H,).

    Only joints that the motor moves directly: a patch is too small to determine the ratio as well.
    """
    unit = 1.0 if kind == "revolute" else problem.metre
    patch = patch_of(
        problem.frames.reference,
        members,
        problem.frames.frames,
        problem.poses(expansion.chain)[:, parent],
        unit * problem.readings[:, motor],
        problem.frames.noise,
    )
    places = axis_places(problem.frames.reference.points, members, expansion.labels == parent)
    twists, costs = search_screws(patch, kind, places)
    return unit * twists, costs
