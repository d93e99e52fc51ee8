"""What scenes know of the Panda: joints, home, and how its hand takes hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ARM = tuple(f"panda_joint{number}" for number in range(1, 8))
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
HAND, PADS = "panda_hand", ("panda_leftfinger", "panda_rightfinger")
"""Links."""
HOME = dict(zip(ARM, (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785), strict=True))
OPEN, CLOSED = 0.04, 0.0
"""Of each finger, in metres."""
TIP = 0.1034
"""Metres from the hand's frame to the fingertips."""

Array = NDArray[np.float64]


def grasp_pose(point: Array, forward: Array, fingers: Array, depth: float) -> Array:
    """Return the (4, 4) pose of the hand with a point between its fingers.

    Args:
        point: (3,) in metres.
        forward: (3,) unit, from the hand to the fingertips.
        fingers: (3,) unit, along which they close; across `forward`.
        depth: How far behind the fingertips the point is (m).
    """
    pose = np.eye(4)
    pose[:3, :3] = np.stack([np.cross(fingers, forward), fingers, forward], axis=1)
    pose[:3, 3] = point - forward * (TIP - depth)
    return pose


def shifted(pose: Array, way: Array) -> Array:
    """Return a (4, 4) pose moved by `way` (3,), in metres."""
    moved = pose.copy()
    moved[:3, 3] += way
    return moved
