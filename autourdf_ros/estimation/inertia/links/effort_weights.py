"""The noise of efforts, joint by joint, found from what the model does not explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.correlation_time import correlation_times
from autourdf_ros.estimation.inertia.links.link_posterior import NormalSystem

Array = NDArray[np.float64]

_LEAST = 1e-2  # of the residuals' square: what remains where the motion's errors explain them all
_STEPS = 10  # a resource bound; the third changes little


@dataclass(frozen=True)
class EffortNoise:
    """Noise of J joints' efforts.

    Attributes:
        std: (J,) of a single record (N m or N).
        repeats: (J,) how many records hold as much information as one with independent noise.
    """

    std: Array
    repeats: Array


def weighted_system(regressor: Array, efforts: Array, weights: Array) -> NormalSystem:
    """Return the normal equations.

    Args:
        regressor: (n, J, p).
        efforts: (n, J).
        weights: (n, J) reciprocal variances.
    """
    roots = np.sqrt(weights)
    rows = (regressor * roots[..., None]).reshape(-1, regressor.shape[-1])
    values = (efforts * roots).ravel()
    return NormalSystem(rows.T @ rows, rows.T @ values, float(values @ values))


def effort_noise(residuals: Array, others: Array, starts: NDArray[np.intp]) -> EffortNoise:
    """Return the noise that residuals show.

    Args:
        residuals: (n, J) measured minus predicted.
        others: (n, J) variances of a record's other errors, which its motion causes.
        starts: Records at which unbroken pieces begin.
    """
    squares = residuals**2
    least = _LEAST * squares.mean(0) + np.finfo(float).tiny
    variance = squares.mean(0) + least
    for _ in range(_STEPS):  # Fisher's scoring of the normal likelihood
        weights = (variance + others) ** -2.0
        variance = np.maximum((weights * (squares - others)).sum(0) / weights.sum(0), least)
    scaled = residuals / np.sqrt(variance + others)
    longest = max(np.split(scaled, starts[1:]), key=len)
    return EffortNoise(np.sqrt(variance), correlation_times(longest))
