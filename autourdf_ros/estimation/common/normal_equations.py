"""Normal equations of matched points, body by body."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.common.surface_matching import Matches
from autourdf_ros.geometry.arrays import Array


def normal_equations(
    matches: Matches,
    groups: NDArray[np.int64],
    centres: Array,
    *,
    point_weight: float = 0.0,
) -> tuple[Array, Array]:
    """Return the normal equations of every body's twist about its centre.

    Minimising the squared distances means solving information @ twist = gradient.

    Args:
        matches: M matches.
        groups: (M,) body of every match.
        centres: (K, 3) of the bodies, in the frame.
        point_weight: share of the point-to-point distance added to the point-to-plane one.

    Returns:
        Information (K, 6, 6) and gradient (K, 6).
    """
    centres = np.ascontiguousarray(centres)
    information, gradient = _plane_equations(
        matches.moved,
        np.ascontiguousarray(matches.normals),
        matches.offsets,
        matches.weights,
        groups,
        centres,
    )
    if point_weight > 0:
        extra_information, extra_gradient = _point_equations(
            matches.moved, matches.offsets, matches.weights, groups, centres
        )
        information += point_weight * extra_information
        gradient += point_weight * extra_gradient
    return information, gradient


def point_information(matches: Matches, groups: NDArray[np.int64], centres: Array) -> Array:
    """Return information (K, 6, 6) as if the matches showed all three directions.

    Arguments are those of `normal_equations`.
    """
    centres = np.ascontiguousarray(centres)
    return np.asarray(
        _point_equations(matches.moved, matches.offsets, matches.weights, groups, centres)[0]
    )


@njit(cache=True, nogil=True)
def _plane_equations(
    moved: Array,
    normals: Array,
    offsets: Array,
    weights: Array,
    groups: NDArray[np.int64],
    centres: Array,
) -> tuple[Array, Array]:
    """Sums of w a a^T and w a d, d being the distance along the normal, by group."""
    count = len(centres)
    information, gradient = np.zeros((count, 6, 6)), np.zeros((count, 6))
    row = np.empty(6)
    for m in range(len(weights)):
        g = groups[m]
        x, y, z = (
            moved[m, 0] - centres[g, 0],
            moved[m, 1] - centres[g, 1],
            moved[m, 2] - centres[g, 2],
        )
        a, b, c = normals[m, 0], normals[m, 1], normals[m, 2]
        row[0], row[1], row[2] = y * c - z * b, z * a - x * c, x * b - y * a
        row[3], row[4], row[5] = a, b, c
        distance = a * offsets[m, 0] + b * offsets[m, 1] + c * offsets[m, 2]
        for i in range(6):
            weighted = weights[m] * row[i]
            gradient[g, i] += weighted * distance
            for j in range(i, 6):
                information[g, i, j] += weighted * row[j]
    for g in range(count):
        for i in range(6):
            for j in range(i):
                information[g, i, j] = information[g, j, i]
    return information, gradient


@njit(cache=True, nogil=True)
def _point_equations(
    moved: Array, offsets: Array, weights: Array, groups: NDArray[np.int64], centres: Array
) -> tuple[Array, Array]:
    """The same for all three directions of the distance: of J = (-[y]x, 1), w J^T J and w J^T d."""
    count = len(centres)
    information, gradient = np.zeros((count, 6, 6)), np.zeros((count, 6))
    for m in range(len(weights)):
        g, w = groups[m], weights[m]
        x, y, z = (
            moved[m, 0] - centres[g, 0],
            moved[m, 1] - centres[g, 1],
            moved[m, 2] - centres[g, 2],
        )
        u, v, t = offsets[m, 0], offsets[m, 1], offsets[m, 2]
        own = information[g]
        own[0, 0] += w * (y * y + z * z)
        own[1, 1] += w * (x * x + z * z)
        own[2, 2] += w * (x * x + y * y)
        own[0, 1] -= w * x * y
        own[0, 2] -= w * x * z
        own[1, 2] -= w * y * z
        own[0, 4] -= w * z
        own[0, 5] += w * y
        own[1, 3] += w * z
        own[1, 5] -= w * x
        own[2, 3] -= w * y
        own[2, 4] += w * x
        for k in range(3, 6):
            own[k, k] += w
        gradient[g, 0] += w * (y * t - z * v)
        gradient[g, 1] += w * (z * u - x * t)
        gradient[g, 2] += w * (x * v - y * u)
        gradient[g, 3] += w * u
        gradient[g, 4] += w * v
        gradient[g, 5] += w * t
    for g in range(count):
        for i in range(6):
            for j in range(i):
                information[g, i, j] = information[g, j, i]
    return information, gradient
