"""Assignment of estimated joints to true joints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from autourdf_ros.geometry.lines import axis_angle, perpendicular_distance
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint

MAX_ANGLE = 30.0
"""Degrees beyond which an estimated axis does not match a true joint. The limit is wide on purpose:
a bad estimate must count in the mean error rather than vanish as a miss."""

MAX_DISTANCE = 0.1
"""Perpendicular distance beyond which it does not match, as a share of the robot's size."""

TREE_WEIGHT, ALONG_WEIGHT = 0.1, 0.3
"""Weights of the tree's shape and of the distance along the axis, as a share of the robot's size.
They decide between joints whose axes are one line (an arm stretched out, the hips of a quadruped,
two wheels), and count as much as a few degrees: more than the errors of a good estimate, less than
what separates any two other axes."""

UNPAIRED = 2.0 + TREE_WEIGHT + ALONG_WEIGHT
"""Cost of an unpaired joint: the cost of the worst pair."""


@dataclass(frozen=True)
class Assignment:
    """One-to-one pairs of joints, by index, and the unpaired joints.

    Attributes:
        pairs: (estimated, true) of each pair.
        missed: Unpaired true joints.
        spurious: Unpaired estimated joints.
        confused: (estimated, true) of unpaired joints of different type between corresponding
            bodies.
    """

    pairs: tuple[tuple[int, int], ...]
    missed: tuple[int, ...]
    spurious: tuple[int, ...]
    confused: tuple[tuple[int, int], ...]


def assign_joints(estimate: Skeleton, truth: Skeleton) -> Assignment:
    """Pair joints at the smallest total cost (Hungarian method).

    The cost of a pair is its angle over `MAX_ANGLE` plus the perpendicular distance of the true
    joint's origin over `MAX_DISTANCE` of the robot's size (prismatic joints: the angle alone). The
    cost of an unpaired joint is `UNPAIRED`. Joints beyond either limit or of different type are no
    pair. The sum is over square roots: a bad estimate counts where no other matches its joint, but
    two bad pairs never replace a good one.
    """
    size = robot_size(estimate, truth)
    own = np.array(
        [[_pair_cost(e, t, size) for t in truth.joints] for e in estimate.joints], dtype=float
    ).reshape(len(estimate.joints), len(truth.joints))
    ties = TREE_WEIGHT * _tree_costs(own, estimate, truth)
    ties += ALONG_WEIGHT * _along_axis(estimate, truth, size)
    costs = np.sqrt(np.where(np.isfinite(own), own + ties, UNPAIRED))
    rows, columns = linear_sum_assignment(costs)
    pairs = tuple(
        (int(row), int(column))
        for row, column in zip(rows, columns, strict=True)
        if np.isfinite(own[row, column])
    )
    missed = set(range(len(truth.joints))) - {t for _, t in pairs}
    spurious = set(range(len(estimate.joints))) - {e for e, _ in pairs}
    return Assignment(
        pairs=pairs,
        missed=tuple(sorted(missed)),
        spurious=tuple(sorted(spurious)),
        confused=_confused_types(estimate, truth, pairs, missed, spurious),
    )


def robot_size(estimate: Skeleton, truth: Skeleton) -> float:
    """Return the larger finite size (m) of the two, infinite where neither has one."""
    return max((s for s in (estimate.size, truth.size) if np.isfinite(s)), default=float("inf"))


def corresponding_bodies(
    estimate: Skeleton, truth: Skeleton, pairs: tuple[tuple[int, int], ...]
) -> dict[int, int]:
    """Return the true body of every estimated child of a paired joint; fixed maps to fixed."""
    bodies = {estimate.joints[e].child: truth.joints[t].child for e, t in pairs}
    return {0: 0} | bodies


def _pair_cost(estimated: SkeletonJoint, true: SkeletonJoint, size: float) -> float:
    if estimated.type != true.type:
        return np.inf
    angle = axis_angle(estimated.axis, true.axis) / MAX_ANGLE
    if true.type == "prismatic":
        return angle if angle <= 1 else np.inf
    distance = perpendicular_distance(true.point, estimated.point, estimated.axis)
    distance /= MAX_DISTANCE * size
    return angle + distance if angle <= 1 and distance <= 1 else np.inf


def _tree_costs(
    own: NDArray[np.float64], estimate: Skeleton, truth: Skeleton
) -> NDArray[np.float64]:
    """Return how badly the ancestors and descendants of each pair correspond, in [0, 1)."""
    unpaired = 2.0
    joint_costs = np.minimum(own, unpaired)
    below_estimate = [estimate.children(joint.child) for joint in estimate.joints]
    below_truth = [truth.children(joint.child) for joint in truth.joints]
    above_estimate, above_truth = _parent_joints(estimate), _parent_joints(truth)

    @cache
    def beyond(e: int, t: int) -> float:
        rows, columns = below_estimate[e], below_truth[t]
        lonely = unpaired * abs(len(rows) - len(columns))
        if not rows or not columns:
            return lonely
        table = np.array([[joint_costs[r, c] + beyond(r, c) for c in columns] for r in rows])
        return lonely + float(table[linear_sum_assignment(table)].sum())

    @cache
    def before(e: int, t: int) -> float:
        above_e, above_t = above_estimate[e], above_truth[t]
        if above_e is None or above_t is None:
            return 0.0 if above_e is above_t else unpaired
        return float(joint_costs[above_e, above_t]) + before(above_e, above_t)

    costs = np.array(
        [[beyond(e, t) + before(e, t) for t in range(own.shape[1])] for e in range(own.shape[0])]
    ).reshape(own.shape)
    return costs / (1 + costs)


def _parent_joints(skeleton: Skeleton) -> list[int | None]:
    """Index of the joint that moves each joint's parent body, None for the fixed body."""
    by_child = {joint.child: index for index, joint in enumerate(skeleton.joints)}
    return [by_child.get(joint.parent) for joint in skeleton.joints]


def _along_axis(estimate: Skeleton, truth: Skeleton, size: float) -> NDArray[np.float64]:
    """Distance of the joints' origins along the true axis in robot sizes, at most 1."""
    shape = (len(estimate.joints), len(truth.joints))
    return np.array(
        [
            [min(abs(np.dot(e.point - t.point, t.axis)) / size, 1.0) for t in truth.joints]
            for e in estimate.joints
        ]
    ).reshape(shape)


def _confused_types(
    estimate: Skeleton,
    truth: Skeleton,
    pairs: tuple[tuple[int, int], ...],
    missed: set[int],
    spurious: set[int],
) -> tuple[tuple[int, int], ...]:
    """Return unpaired joints of different type between the same bodies.

    The axis of a joint with the wrong type cannot be compared, so the tree decides: the parents
    must correspond, and so must the child joints.
    """
    bodies = corresponding_bodies(estimate, truth, pairs)
    partner = dict(pairs)

    def same_place(e: int, t: int) -> bool:
        estimated, true = estimate.joints[e], truth.joints[t]
        beyond = {partner.get(child) for child in estimate.children(estimated.child)}
        return (
            estimated.type != true.type
            and bodies.get(estimated.parent) == true.parent
            and beyond == set(truth.children(true.child))
        )

    confused: list[tuple[int, int]] = []
    free = set(missed)
    for e in sorted(spurious):
        match = next((t for t in sorted(free) if same_place(e, t)), None)
        if match is not None:
            confused.append((e, match))
            free.discard(match)
    return tuple(confused)
