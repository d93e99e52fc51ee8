"""A greedy tree expansion: joints fitted to readings, links with the points that they explain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.common.screw_chain import MotorStates, ScrewChain, fit_chain
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.frame_set import GATE, FrameSet
from autourdf_ros.estimation.motion.registration.point_costs import COST_CAP
from autourdf_ros.estimation.motion.registration.tracked_graph import TrackedGraph
from autourdf_ros.estimation.motion.segmentation.labelling import drop_specks, smooth_labels
from autourdf_ros.geometry.arrays import Array, Labels

UNEXPLAINED = 3.0  # cost of a point beyond which links are sought that explain it
EXPLAINED = 2.5  # cost of a point up to which a motion explains it in most frames
FOREIGN = 5.0  # cost of a point that in the end follows no link
LEAST_GAIN = 30.0  # cost that a body saves its points together, per frame
LEAST_POINTS = 12
STEPS = 4
SPREADING = 6  # rounds at most in which a new link takes its points
SETTLING = 4  # rounds of fitting all joints, in the end
SETTLED = 0.005  # share of the points that still change their body
FITTED_POINTS = 40  # of a link, below which its joint is searched and not fitted


@dataclass(frozen=True)
class ExpansionProblem:
    """The data of a greedy tree expansion.

    Attributes:
        frames: the reference and F frames.
        tracked: the deformation graph, tracked through them.
        states: the motors' readings (F, M) in them, and the root's poses.
        metre: in engine units, of readings of motors that slide.
    """

    frames: FrameSet
    tracked: TrackedGraph
    states: MotorStates
    metre: float

    @property
    def readings(self) -> Array:
        """(F, M) readings of the motors."""
        return self.states.readings

    @property
    def graph(self) -> DeformationGraph:
        """The deformation graph."""
        return self.tracked.graph

    @property
    def neighbours(self) -> csr_matrix:
        """(N, N) sparse distances between neighbouring reference points."""
        return self.frames.neighbours

    def poses(self, chain: ScrewChain) -> Array:
        """Return the poses (F, B, 4, 4) of a chain's bodies."""
        return chain.poses(self.states.readings, self.states.base)


@dataclass(frozen=True)
class Expansion:
    """A chain, and what it explains of the N reference points.

    Attributes:
        chain: J joints on B bodies.
        labels: (N,) body of every point, -1 where none explains it.
        costs: (N,) of the body that explains it best, capped.
        gains: (B,) cost per frame that every body saves its points.
    """

    chain: ScrewChain
    labels: Labels
    costs: Array
    gains: Array

    @property
    def quality(self) -> float:
        """How well all points are explained (see `Branch`)."""
        return float(np.maximum(EXPLAINED - self.costs, 0.0).sum())


def relabelled(
    problem: ExpansionProblem, chain: ScrewChain, labels: Labels, unexplained: float = UNEXPLAINED
) -> Expansion:
    """Fit the last joint and those above, in turns with labelling the points they explain.

    Args:
        problem: the frames and readings.
        chain: the chain, its last joint new.
        labels: (N,) body of every point at first, -1 none.
        unexplained: cost of a point beyond which no link takes it.
    """
    count = len(chain.parents) + 1
    expansion = Expansion(chain, labels, np.full(len(labels), COST_CAP), np.zeros(count))
    for _ in range(SPREADING):
        last = len(expansion.chain.parents)
        fitted = fit_joints(
            problem, expansion.chain, expansion.labels, expansion.chain.ancestors(last)
        )
        before, expansion = (
            expansion.labels,
            explained(problem, fitted, expansion.labels, unexplained),
        )
        if np.mean(expansion.labels != before) < SETTLED:
            break
    return expansion


def settled(problem: ExpansionProblem, expansion: Expansion) -> Expansion:
    """Return the expansion with all joints fitted together, without links that are not worth it."""
    for _ in range(SETTLING):
        expansion = _refitted(problem, expansion)
        while (needless := needless_joints(expansion)).any():
            expansion = without_joint(expansion, int(np.flatnonzero(needless)[-1]))
            expansion = explained(problem, expansion.chain, expansion.labels, FOREIGN)
    return expansion


def without_joint(expansion: Expansion, joint: int) -> Expansion:
    """Return the expansion without a joint and all below it; their points follow no body."""
    chain, left = expansion.chain.without(joint)
    place = np.full(len(expansion.chain.parents) + 2, -1)
    place[left] = np.arange(len(left))
    return replace(
        expansion, chain=chain, labels=place[expansion.labels], gains=expansion.gains[left]
    )


def needless_joints(expansion: Expansion) -> NDArray[np.bool_]:
    """Return which joints (J,) have a child of hardly any points, or that saves hardly any cost."""
    sizes = np.bincount(expansion.labels + 1, minlength=len(expansion.chain.parents) + 2)[2:]
    return (sizes < LEAST_POINTS) | (expansion.gains[1:] < LEAST_GAIN)


def _refitted(problem: ExpansionProblem, expansion: Expansion) -> Expansion:
    """Return the expansion with all joints fitted, but those that lose their link by it.

    A few points of its parent among those of a small link can turn its joint away from it.
    """
    labels = expansion.labels
    chain = fit_joints(problem, expansion.chain, labels, range(len(expansion.chain.parents)))
    fitted = explained(problem, chain, labels, FOREIGN)
    if not needless_joints(fitted).any():
        return fitted
    before = explained(problem, expansion.chain, labels, FOREIGN)
    lost = needless_joints(fitted) & ~needless_joints(before)
    twists = np.where(lost[:, None], expansion.chain.twists, chain.twists)
    return explained(problem, replace(chain, twists=twists), labels, FOREIGN)


def fit_joints(
    problem: ExpansionProblem,
    chain: ScrewChain,
    labels: Labels,
    joints: list[int] | range,
) -> ScrewChain:
    """Return the chain with some joints fitted, but those of links that are too small for it."""
    sizes = np.bincount(labels + 1, minlength=len(chain.parents) + 2)[2:]
    gate = GATE * problem.frames.reference.spacing
    kernels = np.geomspace(gate / 2, gate / 4, STEPS)
    return fit_chain(
        chain,
        problem.frames.reference,
        labels,
        problem.frames.frames,
        problem.states,
        gate=gate,
        kernels=kernels.tolist(),
        joints=[j for j in joints if sizes[j] >= FITTED_POINTS],
    )


def explained(
    problem: ExpansionProblem, chain: ScrewChain, labels: Labels, unexplained: float = UNEXPLAINED
) -> Expansion:
    """Label every point by the body of a chain that explains it, if one does.

    Args:
        problem: the frames and readings.
        chain: the chain.
        labels: (N,) body of every point until now, -1 none.
        unexplained: cost of following no body.
    """
    poses = problem.poses(chain)
    costs = problem.frames.point_costs(labels, poses)
    none = np.full((len(costs), 1), unexplained)
    smooth = smooth_labels(np.concatenate([costs, none], axis=1), problem.neighbours)
    smooth[smooth == costs.shape[1]] = -1
    labels = drop_specks(smooth, problem.neighbours, LEAST_POINTS)
    costs = np.minimum(costs, COST_CAP)
    own = np.flatnonzero(labels >= 0)
    others = costs[own].copy()
    others[np.arange(len(own)), labels[own]] = COST_CAP
    saved = others.min(axis=1) - costs[own, labels[own]]
    gains = np.bincount(labels[own], saved, minlength=costs.shape[1])
    return Expansion(chain, labels, costs.min(axis=1), gains.astype(float))
