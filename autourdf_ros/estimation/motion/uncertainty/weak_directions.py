"""Find changes of the joints' axes, also of several together, that the frames hardly show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

LARGEST_TURN = np.radians(2.0)  # standard deviation of a joint's axis by which it is known
LARGEST_SHIFT = 0.01  # robot sizes: the same of its line across itself
UNKNOWN = np.pi / 2  # rad or robot sizes: standard deviation, at most, of what nothing determines
TAKES_PART = 0.3  # of the largest change in a direction, in units of the two above


@dataclass(frozen=True)
class AxisChanges:
    """D changes of J axes that go unnoticed, each by one standard deviation, the largest first.

    Attributes:
        turns: (D, J) rad.
        shifts: (D, J) robot sizes, of the line across itself. What hardly takes part is zero.
    """

    turns: Array
    shifts: Array


def weak_directions(information: Array, revolute: NDArray[np.bool_], noise: float) -> AxisChanges:
    """Return eigen-directions of the lines' information with a standard deviation above the bounds.

    Parameters are measured by `LARGEST_TURN` and `LARGEST_SHIFT`, in which a direction of more than
    one is weak: what is an eigenvector depends on the units.

    Args:
        information: (4 J, 4 J) per unit squared noise, of two turns (rad) and two shifts (robot
            sizes) of every line (`line_perturbations`).
        revolute: (J,) bool.
        noise: standard deviation of a point along its normal.
    """
    free, units = _free(revolute), np.tile([LARGEST_TURN, LARGEST_SHIFT], (len(revolute), 1))
    units = np.repeat(units, 2, axis=1).ravel()
    values, vectors = np.linalg.eigh(
        information[np.ix_(free, free)] * np.outer(units[free], units[free])
    )
    deviations = noise / np.sqrt(np.maximum(values, (noise * LARGEST_TURN / UNKNOWN) ** 2))
    weak = np.flatnonzero(deviations > 1)
    directions = np.zeros((len(weak), 4 * len(revolute)))
    directions[:, free] = (vectors[:, weak] * deviations[weak]).T
    parts = np.linalg.norm(directions.reshape(len(weak), len(revolute), 2, 2), axis=3)
    least = TAKES_PART * parts.max(axis=(1, 2), initial=0.0, keepdims=True)
    parts = np.where(parts >= least, parts, 0.0)
    return AxisChanges(parts[..., 0] * LARGEST_TURN, parts[..., 1] * LARGEST_SHIFT)


def line_covariance(information: Array, revolute: NDArray[np.bool_], noise: float) -> Array:
    """Return the covariance (4 J, 4 J) of the lines, NaN for a prismatic joint's shifts.

    Arguments are those of `weak_directions`. What nothing determines has a standard deviation of
    `UNKNOWN`.
    """
    free = _free(revolute)
    values, vectors = np.linalg.eigh(information[np.ix_(free, free)])
    variances = noise**2 / np.maximum(values, (noise / UNKNOWN) ** 2)
    covariance = np.full(information.shape, np.nan)
    covariance[np.ix_(free, free)] = (vectors * variances) @ vectors.T
    return covariance


def _free(revolute: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of the lines' parameters, without the shifts of prismatic joints."""
    free = np.ones((len(revolute), 4), dtype=bool)
    free[:, 2:] = revolute[:, None]
    return np.flatnonzero(free)
