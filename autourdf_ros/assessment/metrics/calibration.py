"""Calibration of the standard deviations of an estimate against its true errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.assignment import Assignment
from autourdf_ros.estimation.motion.reconstruction import CommonError, Reconstruction
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.model.skeleton import Skeleton, SkeletonJoint, joint_points, skeleton_of

COMPONENTS = ("direction 1", "direction 2", "position 1", "position 2")


@dataclass(frozen=True)
class Calibration:
    """The errors of one joint over their standard deviations.

    Attributes:
        joint: Name of the true joint.
        scores: (4,) of the components of `JointEstimate.covariance`; NaN where it has none.
        chi_square: Of all known components together; its expected value is `degrees`.
        degrees: Number of known components.
    """

    joint: str
    scores: NDArray[np.float64]
    chi_square: float
    degrees: int


def calibrations(
    model: SelfModel,
    estimate: Skeleton,
    truth: Skeleton,
    assignment: Assignment,
    common: CommonError | None = None,
) -> tuple[Calibration, ...]:
    """Return the scores of every true joint that was found and has an estimated uncertainty.

    Args:
        model: The estimated model.
        estimate: Its joints.
        truth: The true joints, in the same frame.
        assignment: Pairs of both.
        common: What the whole model may be off by in that frame.
    """
    joints = {joint.name: joint for joint in model.joints}
    points = joint_points(skeleton_of(model).joints)
    scores = []
    for e, t in assignment.pairs:
        joint = joints[estimate.joints[e].name]
        if joint.estimate is not None:
            covariance = joint.estimate.covariance + _common(joint, points, common)
            scores.append(_calibration(joint, truth.joints[t], covariance))
    return tuple(scores)


def value_scores(
    reconstruction: Reconstruction,
    estimate: Skeleton,
    truth: Skeleton,
    assignment: Assignment,
    true_values: Mapping[str, NDArray[np.float64]],
) -> dict[str, NDArray[np.float64]]:
    """Return the errors of the joint values over their standard deviations.

    The error is that of a joint's displacement from the reference frame, the recording's first.

    Args:
        reconstruction: Of F frames.
        estimate: The reconstruction's joints.
        truth: The true joints.
        assignment: Pairs of both.
        true_values: (F,) true values (rad or m) in all frames, by true joint.

    Returns:
        The scores of the adjusted frames, by true joint that was found.
    """
    model = reconstruction.model
    values = np.concatenate([motion.joint_values for motion in reconstruction.motions])
    stds = np.concatenate([motion.joint_stds for motion in reconstruction.motions])
    columns = {joint.name: column for column, joint in enumerate(model.joints)}
    scores = {}
    for e, t in assignment.pairs:
        guess, true = estimate.joints[e], truth.joints[t]
        column = columns[guess.name]
        sign = np.sign(np.dot(guess.axis, true.axis))
        estimated = sign * (values[:, column] - values[0, column])
        error = estimated - (true_values[true.name] - true_values[true.name][0])
        known = stds[:, column] > 0
        scores[true.name] = error[known] / stds[known, column]
    return scores


def covered(scores: NDArray[np.float64], sigmas: float = 2.0) -> float:
    """Return the share of finite scores below `sigmas` standard deviations; NaN without any.

    A calibrated normal estimate yields 0.954 at two.
    """
    known = scores[np.isfinite(scores)]
    return float(np.mean(np.abs(known) < sigmas)) if len(known) else float("nan")


def _common(
    joint: Joint, points: NDArray[np.float64], error: CommonError | None
) -> NDArray[np.float64]:
    """Return the covariance (4, 4) that a turn and a shift of everything adds to a joint's.

    The shift is that of the middle of all joints' points (J, 3).
    """
    assert joint.estimate is not None
    known = np.diag(joint.estimate.covariance) > 0
    if error is None:
        return np.zeros((4, 4))
    away = float(np.linalg.norm(joint.point - points.mean(axis=0)))
    shift = error.shift_std**2 + (error.turn_std * away) ** 2
    return np.diag(np.where(known, [error.turn_std**2] * 2 + [shift] * 2, 0.0))


def _calibration(
    joint: Joint, truth: SkeletonJoint, covariance: NDArray[np.float64]
) -> Calibration:
    """Return the error in the basis `across` of the joint's estimate.

    Direction: the rotation from the estimated axis to the true one, which is flipped to the same
    side. Position: where the true line crosses the plane through the estimate's point
    perpendicular to its axis.
    """
    assert joint.estimate is not None
    axis = truth.axis * np.sign(np.dot(truth.axis, joint.axis))
    to_plane = np.dot(joint.point - truth.point, joint.axis) / np.dot(axis, joint.axis)
    crossing = truth.point + to_plane * axis
    across = joint.estimate.across
    turn, shift = np.cross(joint.axis, axis), crossing - joint.point
    error = np.concatenate([across @ turn, across @ shift])
    known = np.isfinite(np.diag(covariance)) & (np.diag(covariance) > 0)
    scores = np.full(4, np.nan)
    scores[known] = error[known] / np.sqrt(np.diag(covariance)[known])
    part = np.linalg.pinv(covariance[np.ix_(known, known)], hermitian=True)
    return Calibration(
        truth.name, scores, float(error[known] @ part @ error[known]), int(known.sum())
    )
