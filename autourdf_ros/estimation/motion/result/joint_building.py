"""The joints of the robot model, in metres, with names, limits and uncertainty."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import ModelUncertainty
from autourdf_ros.estimation.motion.uncertainty.weak_directions import line_covariance
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.limits.joint_limits import observed_limits
from autourdf_ros.model.self_model import Joint


def build_joints(
    model: Articulation,
    values: Array,
    motors: list[MotorMatch | None],
    adjustment: Adjustment,
    confidences: list[Confidence],
    prepared: Prepared,
) -> tuple[Joint, ...]:
    """Build the J joints of the adjusted model, in the recording's units and frame.

    Args:
        values: (F, J) in the inlier frames (rad or m).
        motors: The one of each joint, or None.
        confidences: How sure each joint is.
    """
    count = len(model.parents)
    covariance = line_covariance(adjustment.information, model.revolute, adjustment.noise)
    units = np.array([1.0, 1.0, prepared.scale, prepared.scale])
    result: list[Joint] = []
    for j in range(count):
        block: Array = covariance[4 * j : 4 * j + 4, 4 * j : 4 * j + 4] * np.outer(units, units)
        revolute = bool(model.revolute[j])
        axis = model.twists[j, :3] if revolute else model.twists[j, 3:]
        motor, sign = motors[j], motor_sign(motors[j])
        # A motor that turns its joint one to one gives it its zero and its sense.
        direct = motor is not None and abs(motor.ratio) == 1.0
        reference = motor.offset if motor is not None and direct else 0.0
        moved = sign * values[:, j] + reference
        kind, lower, upper = observed_limits(moved, turns=revolute)
        estimate = JointEstimate(
            covariance=block,
            across=across_basis(axis),
            confidence=confidences[j],
            motor=None
            if motor is None
            else MotorMatch(
                motor.name,
                1.0 if direct else motor.ratio,
                0.0 if direct else motor.offset,
                motor.residual,
            ),
        )
        name = f"joint_{j + 1}"
        if motor is not None and direct and motor.name not in {joint.name for joint in result}:
            name = motor.name
        result.append(
            Joint(
                name=name,
                type=kind,
                parent=f"link_{model.parents[j]}",
                child=f"link_{j + 1}",
                axis=sign * axis,
                point=model.anchors[j] * prepared.scale + prepared.centre,
                lower=lower,
                upper=upper,
                reference=float(reference),
                estimate=estimate,
            )
        )
    return tuple(result)


def confidences_of(
    model: Articulation, structure: ModelUncertainty, candidate: CandidateModel
) -> list[Confidence]:
    """Return the confidence of every joint.

    Of its parent by the ratio of the second-best one's cost to the best one's: 1 in 2 at equality.
    """
    joints, margins = structure.joints, candidate.tree.margins
    types = np.where(model.revolute, joints.revolute, 1 - joints.revolute)
    parents = 1 - 1 / (1 + margins)
    return [
        Confidence(float(exists), float(parent), float(kind))
        for exists, parent, kind in zip(joints.exists, parents, types, strict=True)
    ]


def motor_sign(motor: MotorMatch | None) -> float:
    """Return -1 where the motor turns its joint backwards: the joint's axis is turned round."""
    return -1.0 if motor is not None and motor.ratio == -1.0 else 1.0
