"""Errors of one joint axis: angle between directions, distances between lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PARALLEL = 1e-9
"""Sine of the angle below which two lines count as parallel."""


def axis_angle(first: Vector, second: Vector) -> float:
    """Return E_JA, the unsigned angle between two unit directions, in degrees, in [0, 90].

    Joint angle error of AutoURDF (Lin et al., CVPR 2025). Computed by the arctangent, which is
    exact also for tiny angles.
    """
    sine = np.linalg.norm(np.cross(first, second))
    return float(np.degrees(np.arctan2(sine, abs(np.dot(first, second)))))


def line_distance(
    first_point: Vector, first: Vector, second_point: Vector, second: Vector
) -> float:
    """Return E_JD, the shortest distance (m) between two lines (a point and a unit direction).

    Joint distance error of AutoURDF (Lin et al., CVPR 2025). It is ill-conditioned for nearly
    parallel lines, which may come close far away from the robot: kept for comparison with the
    paper, beside `perpendicular_distance`.
    """
    normal = np.cross(first, second)
    sine = float(np.linalg.norm(normal))
    if sine < PARALLEL:
        return perpendicular_distance(first_point, second_point, second)
    return float(abs(np.dot(second_point - first_point, normal)) / sine)


def perpendicular_distance(point: Vector, line_point: Vector, axis: Vector) -> float:
    """Return E_perp, the distance of a point to a line (a point and a unit direction), metres.

    From the true joint's origin to the estimated axis, it is how far the axis passes from where the
    joint is.
    """
    return float(np.linalg.norm(across(point - line_point, axis)))


def across(vectors: NDArray[np.float64], axis: Vector) -> NDArray[np.float64]:
    """Return the part of (..., 3) vectors perpendicular to a unit axis."""
    return vectors - np.multiply.outer(vectors @ axis, axis)
