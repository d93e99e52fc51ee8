"""A chain with one joint more, and what that explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.screw_chain import JointType, ScrewChain
from autourdf_ros.estimation.motion.structure.expansion.greedy_expansion import (
    EXPLAINED,
    LEAST_POINTS,
    Expansion,
    ExpansionProblem,
    fit_joints,
)
from autourdf_ros.geometry.arrays import Array, Labels

PATCH_EXPLAINED = 4.0  # as EXPLAINED, of points that only a few others share their motion with
INDIRECT = 0.5  # times the gain of a joint that its motor turns by another ratio
LEAST_TURN = np.radians(3.0)  # of a joint's child, in all frames
LEAST_SLIDE = 0.01  # robot sizes


@dataclass(frozen=True)
class Branch:
    """A chain with one joint more, and what that does for its child's points together.

    Attributes:
        chain: with the joint as its last one.
        labels: (N,) body of every reference point, -1 none.
        gain: by how much less the points cost, per frame.
        quality: how well they are explained, which ranks joints: a motion that is half right saves
            far points much, but explains none well.
    """

    chain: ScrewChain
    labels: Labels
    gain: float
    quality: float


def branch_by(
    problem: ExpansionProblem,
    expansion: Expansion,
    parent: int,
    motor: int,
    twist: Array,
    kind: JointType,
    members: NDArray[np.bool_],
    *,
    small: bool = False,
) -> Branch:
    """Add one joint to an expansion, and compute what it gains.

    Args:
        problem: the frames and readings.
        expansion: the tree until now.
        parent: body that the joint hangs on.
        motor: number of the motor that moves it.
        twist: (6,) along which a unit of the motor's reading moves the child.
        kind: type of the joint.
        members: (N,) points that may be the child's.
        small: whether they are too few to fit the joint to.

    Returns:
        The branch; it gains nothing where the joint is not plausible.
    """
    body = len(expansion.chain.parents) + 1
    labels = np.where(members, body, expansion.labels)
    chain = expansion.chain.with_joint(parent, motor, twist, kind)
    if not small:
        chain = fit_joints(problem, chain, labels, [body - 1])
    poses = problem.poses(chain)
    costs = problem.frames.point_costs(np.where(members, 0, -1), poses[:, [body]])[:, 0]
    explained = PATCH_EXPLAINED if small else EXPLAINED
    good = (expansion.costs - costs > 1.0) & (costs < explained)
    gain = float((expansion.costs - costs)[good].sum())
    quality = float((explained - costs)[good].sum())
    if good.sum() < LEAST_POINTS or not _moves(chain, problem.readings):
        gain = 0.0
    if not chain.direct[-1]:
        gain, quality = INDIRECT * gain, INDIRECT * quality
    return Branch(chain, np.where(good, body, expansion.labels), gain, quality)


def _moves(chain: ScrewChain, readings: Array) -> bool:
    """Whether the last joint moves its child noticeably."""
    travel = chain.ratios[-1] * np.ptp(readings[:, chain.motors[-1]])
    return bool(travel > (LEAST_TURN if chain.types[-1] == "revolute" else LEAST_SLIDE))
