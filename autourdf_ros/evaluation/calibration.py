"""Whether the standard deviations of an estimate tell its true errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.description.robot_model import Joint, RobotModel
from autourdf_ros.evaluation.assignment import Assignment
from autourdf_ros.evaluation.skeleton import Skeleton, SkeletonJoint

COMPONENTS = ("direction 1", "direction 2", "position 1", "position 2")


@dataclass(frozen=True)
class Calibration:
    """The errors of one joint over their standard deviations.

    scores: (4,) of the components of `JointEstimate.covariance`; NaN where it has none.
    chi_square: of all its components together, expected to be their number `degrees`.
    """

    joint: str
    scores: NDArray[np.float64]
    chi_square: float
    degrees: int


def calibrations(
    model: RobotModel, estimate: Skeleton, truth: Skeleton, assignment: Assignment
) -> tuple[Calibration, ...]:
    """Scores of every true joint that was found and has an estimate of its uncertainty."""
    joints = {joint.name: joint for joint in model.joints}
    scores = []
    for e, t in assignment.pairs:
        joint = joints[estimate.joints[e].name]
        if joint.estimate is not None:
            scores.append(_calibration(joint, truth.joints[t]))
    return tuple(scores)


def coverage(scores: Iterable[Calibration], sigmas: float = 2.0) -> dict[str, float]:
    """Share of the errors below `sigmas` standard deviations, by component; NaN without any.

    A calibrated normal estimate gives 0.954 at two.
    """
    table = np.array([item.scores for item in scores]).reshape(-1, len(COMPONENTS))
    return {
        name: _share(column[np.isfinite(column)], sigmas)
        for name, column in zip(COMPONENTS, table.T, strict=True)
    }


def _share(scores: Sequence[float] | NDArray[np.float64], sigmas: float) -> float:
    return float(np.mean(np.abs(scores) < sigmas)) if len(scores) else float("nan")


def _calibration(joint: Joint, truth: SkeletonJoint) -> Calibration:
    """The error in the basis `across` of the joint's estimate.

    Direction: of the true axis, turned to the estimate's side. Position: where the true line
    crosses the plane through the estimate's point across its axis.
    """
    assert joint.estimate is not None
    axis = truth.axis * np.sign(np.dot(truth.axis, joint.axis))
    to_plane = np.dot(joint.point - truth.point, joint.axis) / np.dot(axis, joint.axis)
    crossing = truth.point + to_plane * axis
    across = joint.estimate.across
    error = np.concatenate([across @ (axis - joint.axis), across @ (crossing - joint.point)])
    covariance = joint.estimate.covariance
    known = np.isfinite(np.diag(covariance)) & (np.diag(covariance) > 0)
    scores = np.full(4, np.nan)
    scores[known] = error[known] / np.sqrt(np.diag(covariance)[known])
    part = np.linalg.pinv(covariance[np.ix_(known, known)], hermitian=True)
    return Calibration(
        truth.name, scores, float(error[known] @ part @ error[known]), int(known.sum())
    )
