"""Joints that one motor may move together, as the fingers of a gripper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.arrays import Array

SAME_SCREW = 0.2  # between unit screws, in robot sizes, that are one


def coupled_joints(model: Articulation, values: Array) -> NDArray[np.bool_]:
    """Return pairs of joints (J, J) that one motor may move.

    Last joints on one parent that do not move along one screw, which pieces of one link would.
    Fingers that close move along one line, but against each other.

    Args:
        model: J joints.
        values: (F, J) of the joints, which say which way they move along their screws.
    """
    last = ~np.isin(np.arange(1, len(model.parents) + 1), model.parents)
    beside = model.parents[:, None] == model.parents
    against = np.where(values.T @ values < 0, -1.0, 1.0)[..., None]
    apart = np.linalg.norm(model.twists[:, None] - against * model.twists, axis=2) > SAME_SCREW
    return np.asarray(last[:, None] & last & beside & apart)
