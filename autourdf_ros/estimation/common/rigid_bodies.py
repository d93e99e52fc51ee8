"""Rigid bodies as pieces of surface show them: motions, and the information about these.

A body's information is a (6, 6) matrix that weighs twists (see `surface_matching`): what its
surface does not show, as a cylinder's spin, has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint

RIDGE = 1e-6  # share of the mean information that regularises directions nothing shows


@dataclass(frozen=True)
class Bodies:
    """B pieces of surface in F frames.

    Attributes:
        poses: (F, B, 4, 4) motions from the reference frame.
        information: (F, B, 6, 6) of twists in the reference frame, about its origin.
        weights: (F, B) effective number of points.
    """

    poses: Array
    information: Array
    weights: Array


def to_reference(poses: Array, information: Array) -> Array:
    """Return information (..., 6, 6) of twists after a motion as that of twists before it.

    Args:
        poses: (..., 4, 4) the motion.
        information: (..., 6, 6) of twists in the moved frame.
    """
    change = adjoint(poses)
    return np.swapaxes(change, -1, -2) @ information @ change


def regularised(information: Array) -> Array:
    """Return information (..., 6, 6) with a ridge of `RIDGE` times its trace, for inversion."""
    ridge = RIDGE * np.trace(information, axis1=-2, axis2=-1)[..., None, None] + 1e-30
    return np.asarray(information + ridge * np.eye(6), dtype=np.float64)


def parallel_sum(first: Array, second: Array) -> Array:
    """Return the parallel sum Ha (Ha + Hb)^-1 Hb of informations (..., 6, 6).

    It is the information about the difference of two motions, regularised where both are blind
    (Anderson and Duffin, 1969).
    """
    result = first @ np.linalg.solve(regularised(first + second), second)
    return (result + np.swapaxes(result, -1, -2)) / 2
