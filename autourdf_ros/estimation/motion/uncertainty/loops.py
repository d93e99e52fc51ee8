"""Find closed chains: links that touch, are not joined in the tree, and yet move as if they were.

The relative motion of two links over several joints of the tree is no joint's motion, unless the
links are joined as well. That it fits one within the noise is not enough: joints that always moved
in one proportion do so for a little way, and joints on one axis, or on parallel slides, wherever
they are. So the same is tried on what would have been seen of the tree alone, had its joints'
values been paired otherwise, or had its axes been a little elsewhere: a loop is one whose fit both
break, and whose axis goes where its links touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.joint_fit import (
    fit_prismatic,
    fit_revolute,
    on_axes,
    relative_motion,
)
from autourdf_ros.estimation.common.joint_likelihood import weigh_joints
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses, move_lines
from autourdf_ros.estimation.motion.structure.candidate_tree import body_gaps
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import inverse

TOUCHING = 6.0  # point spacings: of links that may be joined
FITS = 4.0  # mean squared error, in squared noises, of a joint; those of the tree have 0.3 to 2.5
BROKEN = 3.0  # the same that no joint must leave of what would have been seen otherwise
MOVES = 0.9  # probability that the links do not stand still against each other
TRIALS = 4  # of either kind
NEAR = 0.05  # robot sizes between an axis and the points where its links touch
ELSEWHERE = 0.1  # rad and robot sizes by which axes are moved


@dataclass(frozen=True)
class LoopJoint:
    """A joint that the tree lacks, between bodies `first` and `second`.

    Attributes:
        first: number of one body.
        second: number of the other.
        path: joints of the tree between these.
        type: of the joint.
        twist: (6,) unit screw axis at the reference.
        point: (3,) on it, next to where the bodies touch.
        cost: mean squared error in squared noises.
    """

    first: int
    second: int
    path: tuple[int, ...]
    type: Literal["revolute", "prismatic"]
    twist: Array
    point: Array
    cost: float


def find_loops(
    model: Articulation,
    values: Array,
    bodies: Bodies,
    reference: Cloud,
    labels: NDArray[np.int64],
    *,
    exists: Array,
    noise: float,
) -> tuple[LoopJoint, ...]:
    """Find the loops of a tree.

    Args:
        model: the tree's J joints.
        values: (F, J) of them in F frames.
        bodies: its links, each registered to these frames by itself.
        reference: cloud of N points.
        labels: (N,) link of every point of the reference.
        exists: (J,) probability that each joint moves.
        noise: standard deviation of a point along its normal.
    """
    points, gap = reference.points, TOUCHING * reference.spacing
    pairs = _touching(model, points, labels, gap)
    if not len(pairs):
        return ()
    motion, metric = relative_motion(bodies, pairs[:, 0], pairs[:, 1])
    weighed = weigh_joints(motion, metric, noise)
    errors = weighed.costs / np.maximum(weighed.observed, 1)[:, None]
    loops = []
    for p, (first, second) in enumerate(pairs.tolist()):
        if errors[p, 1:].min() > FITS or weighed.exists[p] < MOVES:
            continue
        path = np.flatnonzero(model.ancestors[first] ^ model.ancestors[second])
        if np.count_nonzero(exists[path] >= MOVES) < 2:
            continue
        turns = bool(weighed.revolute[p] > 0.5)
        fit = (fit_revolute if turns else fit_prismatic)(motion[:, [p]], metric[:, [p]])
        contact = _contact(points[labels == first], points[labels == second], gap)
        places = on_axes(fit.twists, contact, np.full(len(contact), turns))
        if np.linalg.norm(places - contact, axis=1).min() > NEAR:
            continue
        least = BROKEN * noise**2 * weighed.observed[p]
        others = _otherwise(model, values, path, (first, second))
        if min(_cost(other[:, None], metric[:, [p]]) for other in others) > least:
            joints, point = tuple(path.tolist()), places.mean(axis=0)
            cost = float(errors[p, 1 if turns else 2])
            loops.append(LoopJoint(first, second, joints, fit.type, fit.twists[0], point, cost))
    return tuple(loops)


def _touching(
    model: Articulation, points: Array, labels: NDArray[np.int64], gap: float
) -> NDArray[np.int64]:
    """Pairs (P, 2) of bodies that come as near as `gap` and are not joined in the tree."""
    present, compact = np.unique(labels[labels >= 0], return_inverse=True)
    gaps = body_gaps(points[labels >= 0], compact, len(present))
    joined = {(int(parent), child + 1) for child, parent in enumerate(model.parents)}
    pairs = [
        (int(present[a]), int(present[b]))
        for a, b in combinations(range(len(present)), 2)
        if gaps[a, b] < gap
    ]
    pairs = [pair for pair in pairs if pair not in joined and pair[::-1] not in joined]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _otherwise(
    model: Articulation, values: Array, path: NDArray[np.int64], pair: tuple[int, int]
) -> list[Array]:
    """Relative motions (F, 4, 4) of two bodies of the tree alone, had it moved or been otherwise.

    path: joints between the two.
    """
    rng = np.random.default_rng(0)
    result = []
    for _ in range(TRIALS):
        paired = values.copy()
        for joint in path:
            paired[:, joint] = rng.permutation(values[:, joint])
        result.append(_between(model, paired, pair))
        steps = np.zeros((len(model.parents), 4))
        angles = rng.uniform(0, 2 * np.pi, (len(path), 2))
        aside = ELSEWHERE * np.stack([np.cos(angles), np.sin(angles)], axis=2)
        steps[path] = aside.reshape(-1, 4)
        result.append(_between(move_lines(model, steps), values, pair))
    return result


def _between(model: Articulation, values: Array, pair: tuple[int, int]) -> Array:
    poses = body_poses(model, values, np.tile(np.eye(4), (len(values), 1, 1)))
    return inverse(poses[:, pair[0]]) @ poses[:, pair[1]]


def _cost(motion: Array, metric: Array) -> float:
    return min(float(fit(motion, metric).costs[0]) for fit in (fit_revolute, fit_prismatic))


def _contact(first: Array, second: Array, gap: float) -> Array:
    """The points of `second` that come as near to those of `first` as `gap`, or nearly so."""
    distances = cKDTree(first).query(second)[0]
    return second[distances <= max(gap, distances.min())]
