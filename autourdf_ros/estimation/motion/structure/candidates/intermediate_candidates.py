"""Intermediate links, between two others that move on one another as no single joint lets them.

A knuckle or a part of a wrist may be too small or too round for its surface to show how it moves.
The link that hangs on it shows it: its motion on the link before needs two or three joints in a
row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.chain_fit import ChainFit, fit_chain
from autourdf_ros.estimation.common.joint_fit import line_point, relative_motion
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3

LARGEST_COST = 3.0  # chi-square per frame up to which a joint explains how a link moves
LARGEST_SHARE = 0.01  # of what a joint left, up to which a chain does, where its points are mixed
LEAST_DROP = 3.5  # of the chi-square by one joint more, in half of the frames
LEAST_RATIO = 3.0  # times which it must be less
LEAST_TURN = 0.1  # rad that every joint of a chain must turn
FARTHEST = 1.0  # robot sizes from the robot's middle that an axis of a chain may be
MOST_TURN = 2.0  # times the turn of the link behind it that a joint of a chain may turn
LONGEST = 3


@dataclass(frozen=True)
class Chain:
    """The joints that stand for one joint of a candidate, and how much better they fit.

    Attributes:
        joint: number of that joint.
        fit: the chain.
        cost: chi-square of the chain in F frames.
        before: chi-square of the joint.
    """

    joint: int
    fit: ChainFit
    cost: float
    before: float


@dataclass(frozen=True)
class LinkMotions:
    """A candidate's joints at values (F, J), and its links as they move by themselves.

    Attributes:
        model: the joints.
        values: (F, J) of them.
        numbers: (B,) number in `bodies` of every link, -1 where it has none.
        bodies: motions of the links by themselves.
    """

    model: Articulation
    values: Array
    numbers: NDArray[np.int64]
    bodies: Bodies


def find_chains(tree: LinkMotions, joints: Sequence[int], noise: float) -> list[Chain]:
    """Find the joints whose links need more than one joint between them.

    Args:
        tree: the joints and the links' motions.
        joints: numbers of the joints to try.
        noise: of a point along its normal.
    """
    chains, model, bodies = [], tree.model, tree.bodies
    for joint in joints:
        pair = tree.numbers[[model.parents[joint], joint + 1]]
        if (pair < 0).any():
            continue
        motion, metric = relative_motion(bodies, pair[:1], pair[1:])
        motion, metric = motion[:, 0], metric[:, 0] / noise**2
        error = log_se3(motion @ inverse(exp_se3(model.twists[joint] * tree.values[:, [joint]])))
        costs = before = np.einsum("fi,fij,fj->f", error, metric, error)
        best: ChainFit | None = None
        joints_so_far = 1
        for length in range(2, LONGEST + 1):
            if costs.mean() < LARGEST_COST:
                break
            longer, more = fit_chain(motion, metric, length), length - joints_so_far
            # Where two joints are too few, three may be enough: a wrist may have no shorter chain.
            enough = np.median(costs - longer.costs) >= LEAST_DROP * more
            if enough and costs.sum() >= LEAST_RATIO**more * longer.costs.sum():
                best, costs, joints_so_far = longer, longer.costs, length
        most = max(LARGEST_COST, LARGEST_SHARE * float(before.mean()))
        if best is not None and costs.mean() < most and _plausible(best, motion):
            chains.append(Chain(joint, best, float(costs.sum()), float(before.sum())))
    return chains


def _plausible(fit: ChainFit, motion: Array) -> bool:
    """Whether no joint of a chain is far, hardly turns, or turns back and forth.

    As they do that make up for errors of the motions (F, 4, 4).
    """
    turns = np.linalg.norm(log_se3(motion)[:, :3], axis=1)
    most = MOST_TURN * turns.max() + LEAST_TURN
    spans = np.ptp(np.vstack([fit.values, np.zeros(fit.values.shape[1])]), axis=0)
    near = np.linalg.norm(line_point(fit.twists), axis=1).max() <= FARTHEST
    return bool(near and spans.min() >= LEAST_TURN and np.abs(fit.values).max() <= most)


@dataclass(frozen=True)
class Extension:
    """A model with chains in the place of joints.

    Attributes:
        model: with J' joints on B' links.
        values: (F, J') of the joints.
        links: (B',) number of every link before, -1 for a new one.
        joints: (J',) number of the joint that each one replaces or is.
    """

    model: Articulation
    values: Array
    links: NDArray[np.int64]
    joints: NDArray[np.int64]


def with_chains(model: Articulation, values: Array, chains: list[Chain]) -> Extension:
    """Return the model with its links and, before each chain's last one, its unseen links."""
    of = {chain.joint: chain.fit for chain in chains}
    place = {0: 0}
    parents: list[int] = []
    links, joints, twists, anchors, revolute, columns = [0], [], [], [], [], []
    for joint, parent in enumerate(model.parents.tolist()):
        fit = of.get(joint)
        rows = model.twists[[joint]] if fit is None else fit.twists
        moved = values[:, [joint]] if fit is None else fit.values
        last = place[parent]
        for i, twist in enumerate(rows):
            parents.append(last)
            last = len(parents)
            links.append(joint + 1 if i == len(rows) - 1 else -1)
            joints.append(joint)
            twists.append(twist)
            anchors.append(model.anchors[joint])
            revolute.append(bool(model.revolute[joint]) if fit is None else True)
            columns.append(moved[:, i])
        place[joint + 1] = last
    kinds = np.array(revolute)
    lines = np.array(twists)
    return Extension(
        Articulation(np.array(parents), lines, kinds, np.array(anchors)),
        np.stack(columns, axis=1),
        np.array(links),
        np.array(joints),
    )
