"""Errors of an estimate against the truth: the source of every figure in the project's tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from autourdf_ros.assessment.metrics.assignment import (
    Assignment,
    assign_joints,
    corresponding_bodies,
)
from autourdf_ros.assessment.metrics.global_shift import best_global_shift
from autourdf_ros.assessment.metrics.tree_distance import tree_edit_distance
from autourdf_ros.assessment.metrics.truth.truth import TrueModel
from autourdf_ros.geometry.lines import axis_angle, line_distance, perpendicular_distance
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.skeleton import MotionType, Skeleton, skeleton_of

MILLIMETRES = 1000.0


@dataclass(frozen=True)
class JointError:
    """The errors of a true joint that was found.

    Attributes:
        name: In the truth.
        estimate: Name in the estimate.
        type: True type.
        observable: Whether the recording shows its motion.
        parent_right: Whether the estimated parent corresponds to the true one.
        angle: E_JA, degrees.
        line_distance: E_JD, mm; None for a prismatic joint, which has no line.
        perpendicular: E_perp, mm; None likewise.
        shifted: E_perp after the best global shift of the whole estimate, mm; None likewise, and
            where there are too few joints for a shift.
    """

    name: str
    estimate: str
    type: MotionType
    observable: bool
    parent_right: bool
    angle: float
    line_distance: float | None
    perpendicular: float | None
    shifted: float | None


@dataclass(frozen=True)
class Summary:
    """Figures over a set of true joints; means are over the joints found and None without any.

    Attributes:
        true: Number of true joints.
        found: Number of true joints found.
        recall: found / true; belongs beside every mean.
        ted: Tree edit distance.
        right_tree: TED is 0, every joint was found with the right type and under the right parent,
            and no joint is spurious.
        angle: Mean E_JA, degrees.
        line_distance: Mean E_JD, mm.
        perpendicular: Mean E_perp, mm.
        shifted: Mean E_perp after the best global shift, mm.
    """

    true: int
    found: int
    recall: float
    ted: int
    right_tree: bool
    angle: float | None
    line_distance: float | None
    perpendicular: float | None
    shifted: float | None


@dataclass(frozen=True)
class Evaluation:
    """All errors of one estimate.

    Attributes:
        joints: The true joints found.
        missed: True joints without an estimate.
        spurious: Estimated joints without a true joint.
        confused: (estimated, true) joints of different type at the same place in the tree; they
            count as missed and spurious, too.
        global_shift: Best shift of the whole estimate, mm.
        all: Over all true joints.
        observable: Over the joints that the recording shows; a joint that it does not show and
            that was not found counts as rigid. None where observability is unknown.
    """

    joints: tuple[JointError, ...]
    missed: tuple[str, ...]
    spurious: tuple[str, ...]
    confused: tuple[tuple[str, str], ...]
    global_shift: tuple[float, float, float] | None
    all: Summary
    observable: Summary | None

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, strings, lists and dictionaries, ready for JSON."""
        return asdict(self)


def evaluate(
    estimate: SelfModel | Skeleton, truth: TrueModel, observable: Collection[str] | None = None
) -> Evaluation:
    """Compare an estimate at its reference configuration with the truth at the same one.

    Args:
        estimate: The estimate.
        truth: The truth.
        observable: Names of the true joints that the recording shows; None where unknown.
    """
    guess = skeleton_of(estimate) if isinstance(estimate, SelfModel) else estimate
    true = truth.skeleton
    assignment = assign_joints(guess, true)
    seen = set(true.names) if observable is None else set(observable)
    shift = _global_shift(guess, true, assignment)
    joints = _joint_errors(guess, true, assignment, shift, seen)
    missed = tuple(true.joints[t].name for t in assignment.missed)
    invisible = {name for name in missed if name not in seen}
    return Evaluation(
        joints=joints,
        missed=missed,
        spurious=tuple(guess.joints[e].name for e in assignment.spurious),
        confused=tuple((guess.joints[e].name, true.joints[t].name) for e, t in assignment.confused),
        global_shift=None if shift is None else tuple(MILLIMETRES * shift),
        all=_summary(joints, guess, true, len(true.joints), assignment),
        observable=None
        if observable is None
        else _summary(
            tuple(joint for joint in joints if joint.observable),
            guess,
            true.frozen(invisible),
            len(seen & set(true.names)),
            assignment,
        ),
    )


def _global_shift(
    estimate: Skeleton, truth: Skeleton, assignment: Assignment
) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    pairs = [(e, t) for e, t in assignment.pairs if truth.joints[t].type == "revolute"]
    return best_global_shift(
        np.array([truth.joints[t].point for _, t in pairs]).reshape(-1, 3),
        np.array([estimate.joints[e].point for e, _ in pairs]).reshape(-1, 3),
        np.array([estimate.joints[e].axis for e, _ in pairs]).reshape(-1, 3),
    )


def _joint_errors(
    estimate: Skeleton,
    truth: Skeleton,
    assignment: Assignment,
    shift: np.ndarray[Any, np.dtype[np.float64]] | None,
    seen: Collection[str],
) -> tuple[JointError, ...]:
    errors = []
    for e, t in sorted(assignment.pairs, key=lambda pair: pair[1]):
        guess, true = estimate.joints[e], truth.joints[t]
        line = true.type == "revolute"
        errors.append(
            JointError(
                name=true.name,
                estimate=guess.name,
                type=true.type,
                observable=true.name in seen,
                parent_right=_parent_right(e, t, estimate, truth, assignment),
                angle=axis_angle(guess.axis, true.axis),
                line_distance=MILLIMETRES
                * line_distance(guess.point, guess.axis, true.point, true.axis)
                if line
                else None,
                perpendicular=MILLIMETRES
                * perpendicular_distance(true.point, guess.point, guess.axis)
                if line
                else None,
                shifted=MILLIMETRES
                * perpendicular_distance(true.point, guess.point + shift, guess.axis)
                if line and shift is not None
                else None,
            )
        )
    return tuple(errors)


def _parent_right(
    e: int, t: int, estimate: Skeleton, truth: Skeleton, assignment: Assignment
) -> bool:
    """Return whether the parent bodies correspond; missed true joints count as rigid."""
    found = truth.frozen({truth.joints[index].name for index in assignment.missed})
    parents = {joint.name: joint.parent for joint in found.joints}
    bodies = corresponding_bodies(estimate, truth, assignment.pairs)
    return bodies.get(estimate.joints[e].parent) == parents[truth.joints[t].name]


def _summary(
    joints: tuple[JointError, ...],
    estimate: Skeleton,
    truth: Skeleton,
    true: int,
    assignment: Assignment,
) -> Summary:
    ted = tree_edit_distance(estimate, truth)
    return Summary(
        true=true,
        found=len(joints),
        recall=len(joints) / true if true else 1.0,
        ted=ted,
        right_tree=ted == 0
        and len(truth.joints) == len(assignment.pairs)
        and not assignment.spurious
        and all(joint.parent_right for joint in joints),
        angle=_mean(joints, lambda joint: joint.angle),
        line_distance=_mean(joints, lambda joint: joint.line_distance),
        perpendicular=_mean(joints, lambda joint: joint.perpendicular),
        shifted=_mean(joints, lambda joint: joint.shifted),
    )


def _mean(
    joints: Iterable[JointError], figure: Callable[[JointError], float | None]
) -> float | None:
    values = [value for value in map(figure, joints) if value is not None]
    return float(np.mean(values)) if values else None
