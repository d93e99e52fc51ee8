"""Joints that one motor may move together, as the fingers of a gripper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import Articulation

SAME_SCREW = 0.2  # between unit screws, in robot sizes, that are one


def coupled_joints(model: Articulation) -> NDArray[np.bool_]:
    """Return pairs of joints (J, J) that one motor may move.

    Last joints of one type on one parent that do not move along one screw, which pieces of one link
    would.
    """
    last = ~np.isin(np.arange(1, len(model.parents) + 1), model.parents)
    alike = (model.parents[:, None] == model.parents) & (model.revolute[:, None] == model.revolute)
    apart = np.linalg.norm(model.twists[:, None] - model.twists, axis=2) > SAME_SCREW
    return np.asarray(last[:, None] & last & alike & apart)
