"""Where a part hangs that nothing but its hinge holds."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

DOWN = np.array([0.0, 0.0, -1.0])


def hanging_value(model: pin.Model, joint: str, q: NDArray[np.float64]) -> float:
    """Return the value of a hinge at which its child's centre of mass is lowest (rad).

    Args:
        model: With masses.
        joint: Name of the hinge, whose child holds no other joint.
        q: (nq,) of the rest; the hinge's own entry does not matter.
    """
    index, q = model.getJointId(joint), q.copy()
    hinge = model.joints[index]
    q[hinge.idx_q] = 0.0
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    column = pin.getJointJacobian(model, data, index, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    axis = column.reshape(6, -1)[3:, hinge.idx_v]  # (6,) where it is the only joint
    centre = data.oMi[index].rotation @ model.inertias[index].lever
    turn = np.arctan2(axis @ np.cross(centre, DOWN), _across(centre, axis) @ DOWN)
    low, high = model.lowerPositionLimit[hinge.idx_q], model.upperPositionLimit[hinge.idx_q]
    return float(np.clip(turn, low, high))


def _across(vector: NDArray[np.float64], axis: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector - axis * (axis @ vector)
