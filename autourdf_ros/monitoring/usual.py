"""What is usual: how far model, cameras and shapes are off while all is well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.causes import Causes
from autourdf_ros.monitoring.comparison import Comparison
from autourdf_ros.monitoring.linear_system import (
    error_information,
    linear_system,
    look_sums,
    without_errors,
)
from autourdf_ros.monitoring.noise_level import NoiseLevel, assumed_noise

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Usual:
    """parameters: (P,) of the causes, with covariance: (P, P). errors: (C, S, 6) of the segments.

    All are the posterior of what was seen while nothing had changed.
    """

    noise: NoiseLevel
    parameters: Array
    covariance: Array
    errors: Array


def learn_usual(causes: Causes, comparisons: Sequence[Comparison]) -> Usual:
    """Learn from looks at a robot of which nothing has changed; of every camera some.

    What the model does not know of itself is learnt within its own standard deviations.
    """
    noise = assumed_noise(_point_noise(causes, comparisons), len(causes.model.segments))
    looks = [look_sums(causes, comparison, noise) for comparison in comparisons]
    system = linear_system(looks, len(causes.cameras))
    nothing = np.zeros(causes.count), np.zeros_like(system.own_gradient)
    information, gradient = without_errors(system, noise, *nothing)
    parameters, covariance = posterior(information, gradient, np.diag(causes.known**2))
    left = system.own_gradient - system.cross @ parameters
    known = system.own + error_information(system, noise)
    errors = np.linalg.solve(known, left[..., None])[..., 0]
    return Usual(noise, parameters, covariance, np.asarray(errors, float))


def posterior(information: Array, gradient: Array, covariance: Array) -> tuple[Array, Array]:
    """Mean (P,) and covariance (P, P) of parameters that are 0 with `covariance` beforehand.

    A parameter may have no variance at all: it stays what it is.
    """
    seen = np.linalg.solve(
        np.eye(len(gradient)) + information @ covariance,
        np.column_stack([information, gradient]),
    )
    return covariance @ seen[:, -1], covariance - covariance @ seen[:, :-1] @ covariance


def _point_noise(causes: Causes, comparisons: Sequence[Comparison]) -> Array:
    """(C,) standard deviation of a point's distance (m)."""
    squares, counts = np.zeros(len(causes.cameras)), np.full(len(causes.cameras), 1e-9)
    for comparison in comparisons:
        camera = causes.cameras.index(comparison.look.camera)
        squares[camera] += comparison.squares.sum()
        counts[camera] += comparison.counts.sum()
    return np.maximum(np.sqrt(squares / counts), 1e-4)
