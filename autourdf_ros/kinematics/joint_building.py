"""The joints of the robot model, in metres, with names, limits and uncertainty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.description.joint_limits import observed_limits
from autourdf_ros.description.robot_model import Confidence, Joint, JointEstimate, MotorMatch
from autourdf_ros.kinematics.adjustment import Adjustment
from autourdf_ros.kinematics.articulation import Articulation
from autourdf_ros.kinematics.hypothesis import Hypothesis
from autourdf_ros.kinematics.joint_fit import across_basis
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.preparation import Prepared
from autourdf_ros.kinematics.structure import Structure
from autourdf_ros.kinematics.weak_directions import line_covariance

SAME_SCREW = 0.2  # between unit screws, in robot sizes, that are one


def build_joints(
    model: Articulation,
    values: Array,
    motors: list[MotorMatch | None],
    adjustment: Adjustment,
    confidences: list[Confidence],
    prepared: Prepared,
) -> tuple[Joint, ...]:
    """The J joints of the adjusted model, in the recording's units and frame.

    values: (F, J) in the believed frames (rad or m). motors: the one of each joint, or None.
    confidences: how sure each joint is.
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
    model: Articulation, structure: Structure, hypothesis: Hypothesis
) -> list[Confidence]:
    """How sure every joint is.

    Of its parent by the ratio of the second-best one's cost to the best one's: 1 in 2 at equality.
    """
    evidence, margins = structure.evidence, hypothesis.tree.margins
    types = np.where(model.revolute, evidence.revolute, 1 - evidence.revolute)
    parents = 1 - 1 / (1 + margins)
    return [
        Confidence(float(exists), float(parent), float(kind))
        for exists, parent, kind in zip(evidence.exists, parents, types, strict=True)
    ]


def twins_of(model: Articulation) -> NDArray[np.bool_]:
    """(J, J) pairs of last joints of one type on one parent that do not move along one screw.

    Which pieces of one link would.
    """
    last = ~np.isin(np.arange(1, len(model.parents) + 1), model.parents)
    alike = (model.parents[:, None] == model.parents) & (model.revolute[:, None] == model.revolute)
    apart = np.linalg.norm(model.twists[:, None] - model.twists, axis=2) > SAME_SCREW
    return np.asarray(last[:, None] & last & alike & apart)


def motor_sign(motor: MotorMatch | None) -> float:
    """-1 where the motor turns its joint backwards, and the joint's axis is turned round for it."""
    return -1.0 if motor is not None and motor.ratio == -1.0 else 1.0
