"""Poses of the engine in the recording's own units and frame."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse


def in_metres(poses: Array, prepared: Prepared) -> Array:
    """Return poses (F, 4, 4) between engine units as poses in the recording's fixed frame."""
    change = np.eye(4)
    change[:3, 3] = prepared.centre
    scaled = poses.copy()
    scaled[:, :3, 3] *= prepared.scale
    return change @ scaled @ inverse(change)
