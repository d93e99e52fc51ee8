"""Branches that the tracked nodes of the deformation graph suggest, by their motors' readings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.screw_chain import ScrewChain
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.structure.expansion.branch import Branch, branch_by
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import (
    LEAST_GAIN,
    Expansion,
    ExpansionProblem,
)
from autourdf_ros.geometry.arrays import Array, Labels, group_sum
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3

NODE_CAP = 16.0  # mean squared distance of a node's points, in squared noise
NODE_UNEXPLAINED = 3.0
NODE_EXPLAINED = 6.0
CANDIDATES = 3  # nodes a parent and motor, and parents and motors a level, that are fitted
ROUNDS = 5
SIMILAR = 3.0  # factor by which ratios differ up to which a direct motor is tried, too


def node_branches(problem: ExpansionProblem, expansion: Expansion) -> list[Branch]:
    """Return branches for the joints that the tracked nodes suggest."""
    poses = problem.poses(expansion.chain)
    every = np.arange(len(problem.graph.centres))
    rest = _node_cost(problem, every, np.swapaxes(poses, 0, 1)).min(axis=0)
    lost = rest > NODE_UNEXPLAINED
    if not lost.any():
        return []
    around = _pooling(problem.graph)
    suggestions = []
    for parent, pose in enumerate(np.swapaxes(poses, 0, 1)):
        near = lost & _near(problem, expansion.labels, parent)
        if not near.any():
            continue
        for motor in free_motors(problem, expansion.chain, parent):
            twists = _node_twists(problem, pose, problem.readings[:, motor], around, near)
            suggestions += _suggestions(problem, pose, parent, motor, twists, rest, lost)
    suggestions.sort(key=lambda suggestion: -suggestion[0])
    branches = []
    seen: set[tuple[int, int]] = set()
    for _, parent, motor, twist, members in suggestions:
        if (parent, motor) in seen:
            continue
        seen.add((parent, motor))
        branches += _branches(
            problem, expansion, parent, motor, twist, members[problem.graph.nodes]
        )
        if len(seen) == CANDIDATES:
            break
    return branches


def _pooling(graph: DeformationGraph) -> Array:
    """(K, K) whether two nodes are at most two edges apart."""
    count = len(graph.centres)
    touching = np.eye(count)
    first, second = graph.edges.T
    touching[first, second] = touching[second, first] = 1.0
    return (touching @ touching > 0).astype(float)


def _near(problem: ExpansionProblem, labels: Labels, body: int) -> NDArray[np.bool_]:
    """(K,) nodes at most four edges away from a node with points of the body."""
    nodes = np.zeros(len(problem.graph.centres))
    nodes[problem.graph.nodes[labels == body]] = 1.0
    around = _pooling(problem.graph)
    return around @ (around @ nodes) > 0


def _node_cost(problem: ExpansionProblem, nodes: NDArray[np.int64], motions: Array) -> Array:
    """Mean squared distance (H, K), over frames, of nodes (K,) from motions (H, F, 4, 4).

    As far as the surface shows it, in squared noise, capped.
    """
    pieces = problem.tracked.bodies
    errors = log_se3(inverse(motions)[:, :, None] @ pieces.poses[:, nodes])
    turned = np.einsum("fkij,hfkj->hfki", pieces.information[:, nodes], errors, optimize=True)
    squared = np.einsum("hfki,hfki->hfk", errors, turned)
    costs = squared / (problem.frames.noise**2 * np.maximum(pieces.weights[:, nodes], 1e-9))
    return np.minimum(costs, NODE_CAP).mean(axis=1)


def _node_twists(
    problem: ExpansionProblem, parent: Array, reading: Array, around: Array, near: NDArray[np.bool_]
) -> Array:
    """Twists (K', 6) of a motor that explain the nodes `near` and those around them best.

    Robust least squares on the logarithms of the motions relative to the parent (F, 4, 4).
    """
    lead, node = np.nonzero(around[near])
    count = int(near.sum())
    pieces = problem.tracked.bodies
    relative = (inverse(parent)[:, None] @ pieces.poses)[:, node]
    information = pieces.information[:, node]
    size = problem.frames.noise**2 * np.maximum(pieces.weights[:, node], 1e-9)
    twists = np.zeros((count, 6))
    # Tracking gets worse with every frame: the first ones weigh most.
    weight = np.broadcast_to(1.0 / (1.0 + np.arange(len(reading)))[:, None], size.shape)
    errors = log_se3(relative)
    for _ in range(ROUNDS):
        weighted = information * (weight * reading[:, None])[..., None, None]
        blocks = group_sum(np.einsum("f,fpij->pij", reading, weighted), lead, count)
        pulls = np.einsum("fpij,fpj->pi", weighted, errors, optimize=True)
        ridge = 1e-6 * np.trace(blocks, axis1=1, axis2=2)[:, None, None] + 1e-12
        steps = np.linalg.solve(
            blocks + ridge * np.eye(6), group_sum(pulls, lead, count)[..., None]
        )
        twists = twists + steps[..., 0]
        motions = exp_se3(twists * reading[:, None, None])
        errors = log_se3(inverse(motions)[:, lead] @ relative)
        squared = np.einsum("fpi,fpij,fpj->fp", errors, information, errors, optimize=True)
        weight = 1.0 / (1.0 + squared / size / 9.0) ** 2
    return twists


def _suggestions(
    problem: ExpansionProblem,
    parent_pose: Array,
    parent: int,
    motor: int,
    twists: Array,
    rest: Array,
    lost: NDArray[np.bool_],
) -> list[tuple[float, int, int, Array, NDArray[np.bool_]]]:
    """Gain, parent, motor, twist and nodes (K,) of the likeliest joints, likeliest first."""
    motions = parent_pose @ exp_se3(twists[:, None] * problem.readings[:, motor, None])
    costs = _node_cost(problem, np.flatnonzero(lost), motions)
    explained = costs < np.minimum(rest[lost] - 1, NODE_EXPLAINED)
    weights = problem.tracked.bodies.weights[:, lost].mean(axis=0)
    gains = np.sum(weights * np.maximum(rest[lost] - costs, 0) * explained, axis=1)
    found = []
    for best in np.argsort(-gains, kind="stable")[:CANDIDATES]:
        if explained[best].any():
            members = np.zeros(len(lost), dtype=bool)
            members[lost] = explained[best]
            found.append((float(gains[best]), parent, motor, twists[best], members))
    return found


def _branches(
    problem: ExpansionProblem,
    expansion: Expansion,
    parent: int,
    motor: int,
    twist: Array,
    members: NDArray[np.bool_],
) -> list[Branch]:
    """Joints along a twist, fitted to their member points (N,), that gain enough."""
    found = [branch_by(problem, expansion, parent, motor, twist, "revolute", members)]
    ratio = found[0].chain.ratios[-1]
    if ratio != 1.0:
        found.append(branch_by(problem, expansion, parent, motor, twist, "prismatic", members))
    if ratio != 1.0 and max(ratio, 1 / ratio) < SIMILAR:
        # Points of other links, and nodes that slid, blur the ratio; most motors have none.
        direct = found[0].chain.twists[-1] / ratio
        found.append(branch_by(problem, expansion, parent, motor, direct, "revolute", members))
    return [branch for branch in found if branch.gain > LEAST_GAIN]


def free_motors(problem: ExpansionProblem, chain: ScrewChain, _: int) -> list[int]:
    """Return the motors that have no joint yet."""
    return [motor for motor in range(problem.readings.shape[1]) if motor not in chain.motors]
