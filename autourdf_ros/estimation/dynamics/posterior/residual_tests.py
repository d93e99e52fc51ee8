"""What is left of the observed motion after a fit: how white it is, how large, how correlated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit

Array = NDArray[np.float64]

_LAGS = 10  # of the autocorrelation: what lasts longer shows in the short ones, too


@dataclass(frozen=True)
class Whiteness:
    """Autocorrelation of a joint's residuals.

    Attributes:
        joint: Its name.
        first: Autocorrelation from one stamp to the next.
        p_value: Of Ljung and Box's test.
    """

    joint: str
    first: float
    p_value: float


def whiteness(fit: ShootingFit) -> tuple[Whiteness, ...]:
    """Return the test of every observed joint over all motions.

    Ljung and Box, "On a measure of lack of fit in time series models", Biometrika 1978. Joint
    values that were not observed leave gaps, across which pairs do not count.
    """
    found = []
    for joint, name in enumerate(fit.rollout.mechanism.joints):
        if fit.grid.is_observed[:, joint].any():
            correlations, pairs = _autocorrelation(fit, joint, _LAGS)
            statistic = float(pairs @ correlations**2)
            first = float(correlations[0]) if len(correlations) else 0.0
            p_value = float(chi2.sf(statistic, max(len(correlations), 1)))
            found.append(Whiteness(name, first, p_value))
    return tuple(found)


def correlation_times(fit: ShootingFit) -> Array:
    """Return how many records of each joint (J,) hold as much as one independent one: 1 or more.

    The integrated autocorrelation time of the residuals, summed by pairs of lags while these sums
    are positive (Geyer, "Practical Markov Chain Monte Carlo", Statistical Science 1992).
    """
    times = np.ones(len(fit.rollout.mechanism.joints))
    for joint in np.flatnonzero(fit.grid.is_observed.any(0)).tolist():
        correlations = np.append(1.0, _autocorrelation(fit, joint, len(fit.grid.stamps))[0])
        pairs = correlations[: len(correlations) // 2 * 2].reshape(-1, 2).sum(1)
        positive = int(np.argmax(np.append(pairs, -1.0) <= 0))
        times[joint] = max(2 * float(pairs[:positive].sum()) - 1, 1.0)
    return times


def lasting_noise(fit: ShootingFit, fitted: float) -> tuple[Array, Array, float]:
    """Return the size of what is left, how long it lasts, and how surely that is known.

    Each fitted number takes up the noise of as many records as count as one independent one, for
    what is fitted changes slowly, and so does noise that lasts.

    Args:
        fit: With the residuals.
        fitted: Numbers that were fitted, for each joint.

    Returns:
        Standard deviations (J,) of the residuals in the units they have, 1 if not observed;
        records (J,) for each independent one; independent records beyond the fitted numbers.
    """
    times, seen = correlation_times(fit), fit.grid.is_observed.sum(0)
    free = np.maximum(seen / times - fitted, 1.0)
    squares = (fit.residuals.weights * fit.residuals.frames**2).sum(0)
    noise = np.where(seen > 0, np.sqrt(squares / (times * free)), 1.0)
    return noise, times, float(free[seen > 0].sum())


def _autocorrelation(fit: ShootingFit, joint: int, most: int) -> tuple[Array, Array]:
    """Autocorrelation (L,) of a joint's residuals at lags from 1 on, and its numbers of pairs."""
    grid = fit.grid
    motion = grid.motion[grid.window]
    values = np.where(grid.is_observed[:, joint], fit.residuals.frames[:, joint], np.nan)
    variance = float(np.nanmean(values**2))
    lags = range(1, min(most, len(values) // 4) + 1)
    correlations, counts = np.zeros(len(lags)), np.zeros(len(lags))
    for place, lag in enumerate(lags):
        together = values[lag:] * values[:-lag]
        pairs = together[(motion[lag:] == motion[:-lag]) & np.isfinite(together)]
        if len(pairs) and variance > 0:
            correlations[place], counts[place] = float(pairs.mean()) / variance, len(pairs)
    return correlations, counts


def excess_p_values(fit: ShootingFit) -> Array:
    """(J,) probability of residuals as large if the stated noise is right; NaN if not observed.

    Squares of Gaussian residuals of autocorrelation r are correlated by the square of r.
    """
    count = fit.grid.is_observed.sum(0)
    found = np.full(len(count), np.nan)
    for joint in np.flatnonzero(count).tolist():
        correlations, _ = _autocorrelation(fit, joint, _LAGS)
        free = count[joint] / (1 + 2 * float((correlations**2).sum())) - 2 * len(fit.grid.starts)
        found[joint] = chi2.sf(max(free, 1.0) * fit.noise[joint] ** 2, max(free, 1.0))
    return found
