"""A chain grown so far: its joints fitted to the readings, its links to the points they explain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.estimation.common.rigid_bodies import Bodies, Noise
from autourdf_ros.estimation.common.screw_chain import ScrewChain, fit_chain
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.point_labels import (
    COST_CAP,
    drop_specks,
    point_costs,
    smooth_labels,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

GATE = 4.0  # point spacings
UNEXPLAINED = 3.0  # cost of a point beyond which links are looked for that explain it
EXPLAINED = 2.5  # cost of a point up to which a motion explains it in most frames
FOREIGN = 5.0  # cost of a point that in the end follows no link
LEAST_GAIN = 30.0  # cost that a body saves its points together, per frame
LEAST_POINTS = 12
STEPS = 4
SPREADING = 6  # rounds at most in which a new link takes its points
SETTLING = 4  # rounds of fitting all joints, in the end
SETTLED = 0.005  # share of the points that still change their body
FITTED_POINTS = 40  # of a link, below which its joint is searched and not fitted

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Scene:
    """What growth looks at: F frames, the root's poses (F, 4, 4) in them, readings (F, M).

    metre: in engine units, of readings of motors that slide.
    """

    reference: Cloud
    frames: list[Cloud]
    graph: DeformationGraph
    neighbours: csr_matrix
    pieces: Bodies
    readings: Array
    base: Array
    noise: Noise
    metre: float


@dataclass(frozen=True)
class Expansion:
    """A chain, and what it explains of the N reference points.

    labels: (N,) body of every point, -1 where none explains it. costs: (N,) of the body that
    explains it best, capped. gains: (B,) cost per frame that every body saves its points.
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
    scene: Scene, chain: ScrewChain, labels: Labels, unexplained: float = UNEXPLAINED
) -> Expansion:
    """The chain with the last joint and those above fitted, as it takes the points it explains.

    unexplained: cost of a point beyond which no link takes it.
    """
    count = len(chain.parents) + 1
    expansion = Expansion(chain, labels, np.full(len(labels), COST_CAP), np.zeros(count))
    for _ in range(SPREADING):
        last = len(expansion.chain.parents)
        fitted = fit_joints(
            scene, expansion.chain, expansion.labels, expansion.chain.ancestors(last)
        )
        before, expansion = (
            expansion.labels,
            explained(scene, fitted, expansion.labels, unexplained),
        )
        if np.mean(expansion.labels != before) < SETTLED:
            break
    return expansion


def settled(scene: Scene, expansion: Expansion) -> Expansion:
    """The growth with all joints fitted together, without links that are not worth it."""
    for _ in range(SETTLING):
        expansion = _refitted(scene, expansion)
        while (needless := needless_joints(expansion)).any():
            expansion = without_joint(expansion, int(np.flatnonzero(needless)[-1]))
            expansion = explained(scene, expansion.chain, expansion.labels, FOREIGN)
    return expansion


def without_joint(expansion: Expansion, joint: int) -> Expansion:
    """The growth without a joint and all that hangs on it, whose points follow no body."""
    chain, left = expansion.chain.without(joint)
    place = np.full(len(expansion.chain.parents) + 2, -1)
    place[left] = np.arange(len(left))
    return replace(
        expansion, chain=chain, labels=place[expansion.labels], gains=expansion.gains[left]
    )


def needless_joints(expansion: Expansion) -> NDArray[np.bool_]:
    """(J,) joints whose child has hardly any points, or saves them hardly any cost."""
    sizes = np.bincount(expansion.labels + 1, minlength=len(expansion.chain.parents) + 2)[2:]
    return (sizes < LEAST_POINTS) | (expansion.gains[1:] < LEAST_GAIN)


def _refitted(scene: Scene, expansion: Expansion) -> Expansion:
    """The growth with all joints fitted, but those that lose their link by it.

    A few points of its parent among those of a small link can turn its joint away from it.
    """
    labels = expansion.labels
    chain = fit_joints(scene, expansion.chain, labels, range(len(expansion.chain.parents)))
    fitted = explained(scene, chain, labels, FOREIGN)
    if not needless_joints(fitted).any():
        return fitted
    before = explained(scene, expansion.chain, labels, FOREIGN)
    lost = needless_joints(fitted) & ~needless_joints(before)
    twists = np.where(lost[:, None], expansion.chain.twists, chain.twists)
    return explained(scene, replace(chain, twists=twists), labels, FOREIGN)


def fit_joints(
    scene: Scene,
    chain: ScrewChain,
    labels: Labels,
    joints: list[int] | range,
) -> ScrewChain:
    """The chain with some joints fitted, but those of links that are too small for it."""
    sizes = np.bincount(labels + 1, minlength=len(chain.parents) + 2)[2:]
    gate = GATE * scene.reference.spacing
    kernels = np.geomspace(gate / 2, gate / 4, STEPS)
    return fit_chain(
        chain,
        scene.reference,
        labels,
        scene.frames,
        scene.readings,
        scene.base,
        gate=gate,
        kernels=kernels.tolist(),
        joints=[j for j in joints if sizes[j] >= FITTED_POINTS],
    )


def explained(
    scene: Scene, chain: ScrewChain, labels: Labels, unexplained: float = UNEXPLAINED
) -> Expansion:
    """The chain with every point given to the body that explains it, if one does.

    unexplained: cost of following none.
    """
    poses = chain.poses(scene.readings, scene.base)
    costs = costs_of(scene, labels, poses)
    none = np.full((len(costs), 1), unexplained)
    smooth = smooth_labels(np.concatenate([costs, none], axis=1), scene.neighbours)
    smooth[smooth == costs.shape[1]] = -1
    labels = drop_specks(smooth, scene.neighbours, LEAST_POINTS)
    costs = np.minimum(costs, COST_CAP)
    own = np.flatnonzero(labels >= 0)
    others = costs[own].copy()
    others[np.arange(len(own)), labels[own]] = COST_CAP
    saved = others.min(axis=1) - costs[own, labels[own]]
    gains = np.bincount(labels[own], saved, minlength=costs.shape[1])
    return Expansion(chain, labels, costs.min(axis=1), gains.astype(float))


def costs_of(scene: Scene, labels: Labels, poses: Array) -> Array:
    return point_costs(scene.reference, labels, scene.frames, poses, noise=scene.noise.total)
