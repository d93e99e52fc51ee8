"""Noise of wrenches whose records are not independent of each other.

Sensors filter, and robots vibrate: noise lasts over several records. What counts for a load is its
density at the low frequencies of a motion, variance times integrated autocorrelation time. Both are
taken from what the best rigid load of any shape leaves over, before any filter; a wrong shape does
not count as noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.correlation_time import WINDOW, correlation_times
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression

Array = NDArray[np.float64]

_PARAMETERS = np.repeat([(4 + 3) / 3, (9 + 3) / 3], 3)
"""Parameters of load and bias that each channel of force and torque determines."""


@dataclass(frozen=True)
class ColourOptions:
    """Constants.

    Attributes:
        rounds: Of parameters and noise in turn: a resource bound.
        level: Deviations of an estimated density by which it has to exceed the stated one: a level
            of significance.
        least: Share of the low frequencies that parameters leave over, at least: a bound for
            records that are hardly longer than the correlation.
        shortest: Correlation times that a recording has to be as long as, at least: what lasts
            longer follows the motion, as a bias, a tilt or a slip does, and is no noise.
        share: Of the load's wrench that it may have all the same: linearity of sensors.
        rank: Singular values of the equations below this share of the largest are noise.
    """

    rounds: int = 2
    level: float = 2.0
    least: float = 0.25
    shortest: float = 20.0
    share: float = 0.005
    rank: float = 1e-6


COLOUR_OPTIONS = ColourOptions()


def with_coloured_noise(
    regression: Regression, unfiltered: Regression, options: ColourOptions = COLOUR_OPTIONS
) -> tuple[Regression, Array]:
    """Return the regression with the noise that its records show, and correlation times.

    Args:
        regression: Filtered; where the sensor has a bias, less its means.
        unfiltered: The same without the filter.
        options: Constants.

    Returns:
        The regression whose variances (6,) count the correlation, and the times (6,) in records.
    """
    stated = regression.wrench_variance
    times: Array = np.ones(len(stated))
    for _ in range(options.rounds):
        parameters = free_parameters(regression, options.rank)
        known = np.diag(replace(regression, wrench_variance=stated).noise(parameters))
        rest = unfiltered.load_wrenches - unfiltered.rows @ parameters
        most = np.maximum(known, _linear(unfiltered.wrenches, options.share))
        density, times = _density(rest, most, options)
        # Madras, Sokal, J. Stat. Phys. 50, 1988: the variance of an estimated correlation time.
        deviation = np.sqrt(2 * (2 * WINDOW * times + 1) / len(rest))
        beyond = density > known * (1 + options.level * deviation)
        more = np.where(beyond, density - known, 0.0)
        regression = replace(regression, wrench_variance=stated + more)
    return regression, times


def free_parameters(regression: Regression, rank: float = COLOUR_OPTIONS.rank) -> Array:
    """Return the parameters (10,) of the rigid load of any shape that explains most."""
    parameters: Array = np.zeros(10)
    for _ in range(2):  # the weights follow the parameters
        matrix, target = regression.equations(parameters).whitened()
        parameters = np.asarray(np.linalg.lstsq(matrix, target, rcond=rank)[0], float)
    return parameters


def _linear(wrenches: Array, share: float) -> Array:
    """Variances (6,) of a share of the wrenches' root mean square, force and torque apart."""
    squares = (wrenches.reshape(-1, 2, 3) ** 2).sum(2).mean(0)
    return np.repeat(share**2 * squares, 3)


def _density(rest: Array, most: Array, options: ColourOptions) -> tuple[Array, Array]:
    """Variances (6,) of independent records with as much noise at low frequencies, and times.

    Parameters take such noise out of the residuals: of the n / (window times correlation) numbers
    that a density is the mean of, each takes one. A channel has at least the mean of its kind.
    What follows the motion counts with at most so much variance (6,).
    """
    times = correlation_times(rest)
    follows = times * options.shortest > len(rest)
    variance = np.where(follows, np.minimum(rest.var(0), most), rest.var(0))
    left = 1 - _PARAMETERS * WINDOW * times / len(rest)
    density = variance * times / np.maximum(left, options.least)
    kinds = np.repeat(density.reshape(2, 3).mean(1), 3)
    return np.maximum(density, kinds), times
