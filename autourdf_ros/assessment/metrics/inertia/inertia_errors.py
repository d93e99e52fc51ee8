"""Errors of a payload's inertial parameters relative to its mass and size.

Size-based errors: Nadeau, Giamou, Kelly, "Fast Object Inertial Parameter Identification for
Collaborative Robots", ICRA 2022. Geodesic error: Lee, Park, RA-L 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import (
    geodesic_distance,
    inertia_about_origin,
    is_consistent,
)

Array = NDArray[np.float64]

_ENTRIES = np.triu_indices(3)


@dataclass(frozen=True)
class InertiaErrors:
    """Errors of an estimate.

    Attributes:
        mass: % of the true mass.
        centre: % of the box's extent, mean over the axes.
        inertia: % of a homogeneous box's tensor about the sensor's origin, mean over six entries.
        geodesic: Distance of the pseudo-inertias; inf where the estimate is no body's.
        consistent: Whether the estimate is a body's.
    """

    mass: float
    centre: float
    inertia: float
    geodesic: float
    consistent: bool


def turned_extents(points: Array, turn: Array) -> Array:
    """Return the extents (3,) of points (n, 3) in a frame: turn (3, 3) brings them into it."""
    return np.asarray(np.ptp(points @ turn.T, axis=0))


def authors_extents(points: Array, turn: Array) -> Array:
    """Return the extents as the paper's authors take them: those of the object's own box, turned.

    A turned vector is no box; it is right only for turns by a quarter.
    """
    return np.abs(turn @ np.ptp(points, axis=0))


def inertia_errors(
    estimate: Array, truth: Array, extents: Array, truncated: bool = False
) -> InertiaErrors:
    """Return the errors of parameters (10,), both in the sensor's frame.

    Args:
        estimate: Inertial parameters.
        truth: The true ones.
        extents: (3,) of the object's box along the sensor's axes (m).
        truncated: Cut the centre's errors to whole per cent, as the paper's authors do.
    """
    centre = 100 * np.abs(estimate[1:4] / estimate[0] - truth[1:4] / truth[0]) / extents
    if truncated:
        centre = np.trunc(centre)
    box = truth[0] / 12 * (np.eye(3) * (extents @ extents) - np.outer(extents, extents))
    difference = np.abs(inertia_about_origin(estimate) - inertia_about_origin(truth))
    return InertiaErrors(
        float(100 * abs(estimate[0] - truth[0]) / truth[0]),
        float(centre.mean()),
        float((100 * difference[_ENTRIES] / np.abs(box[_ENTRIES])).mean()),
        geodesic_distance(estimate, truth),
        is_consistent(estimate),
    )


def within_two_sigma(estimate: Array, covariance: Array, truth: Array) -> dict[str, list[bool]]:
    """Return whether mass, centre and inertia about the origin lie within two deviations.

    The centre's deviation is to first order in mass and first moment.
    """
    jacobian = np.hstack([-(estimate[1:4] / estimate[0])[:, None], np.eye(3)]) / estimate[0]
    centre_std = np.sqrt(np.diag(jacobian @ covariance[:4, :4] @ jacobian.T))
    std = np.sqrt(np.diag(covariance))
    centre = np.abs(estimate[1:4] / estimate[0] - truth[1:4] / truth[0]) <= 2 * centre_std
    inside = np.abs(estimate - truth) <= 2 * std
    return {
        "mass": [bool(inside[0])],
        "centre": [bool(one) for one in centre],
        "inertia": [bool(one) for one in inside[4:]],
    }
