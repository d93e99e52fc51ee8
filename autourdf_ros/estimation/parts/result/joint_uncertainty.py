"""How sure a joint of an assembly is: covariance and confidence from its alternatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.result.result_options import ResultOptions
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate


def joint_estimate(joint: EdgeJoint, size: float, options: ResultOptions) -> JointEstimate:
    """Return how sure a joint is.

    The covariance is that of the mixture of its alternatives, each by its probability, about the
    first, and of the precision of a right one.

    Args:
        joint: Revolute or prismatic.
        size: Of the assembly (m).
        options: Of the result.
    """
    best, across = joint.best, across_basis(joint.best.axis)
    deviations = np.array([_deviation(best, one, across) for one in joint.alternatives])
    weights = np.nan_to_num([one.probability for one in joint.alternatives])
    total = max(1.0, float(weights.sum()))
    covariance = np.einsum("k,ki,kj->ij", weights / total, deviations, deviations)
    line = options.line_std * size
    covariance += np.diag(np.square([options.axis_std, options.axis_std, line, line]))
    if best.type == "prismatic":
        covariance[2:, :] = covariance[:, 2:] = np.nan
    return JointEstimate(covariance, across, _confidence(joint))


def _deviation(
    best: JointCandidate, other: JointCandidate, across: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn of the axis (rad) and shift of its line (m) from one joint to another, each across."""
    sign = 1.0 if best.axis @ other.axis >= 0 else -1.0
    cross = np.cross(best.axis, sign * other.axis)
    sine = float(np.linalg.norm(cross))
    turn = cross * (np.arcsin(min(sine, 1.0)) / sine if sine > 0 else 1.0)
    shift = other.point - best.point if other.type == best.type == "revolute" else np.zeros(3)
    return np.concatenate([across @ turn, across @ shift])


def _confidence(joint: EdgeJoint) -> Confidence:
    known = [one for one in joint.alternatives if np.isfinite(one.probability)]
    same = sum(one.probability for one in known if one.type == joint.best.type)
    total = sum(one.probability for one in known)
    edge = joint.edge_probability
    return Confidence(
        exists=1.0,
        parent=float(np.nan_to_num(edge, nan=1.0)),
        type=float(same / total) if total > 0 else 1.0,
    )
