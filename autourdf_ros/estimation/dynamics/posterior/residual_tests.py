"""Tests of what is left of the observed motion after a fit: whiteness, size, and time steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.shooting.map_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_elimination import shooting_system
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout

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
    grid, found = fit.grid, []
    motion = grid.motion[grid.window]
    for joint, name in enumerate(fit.rollout.mechanism.joints):
        if not grid.is_observed[:, joint].any():
            continue
        values = np.where(grid.is_observed[:, joint], fit.residuals.frames[:, joint], np.nan)
        statistic, first = 0.0, 0.0
        lags = min(_LAGS, len(values) // 4)
        variance = float(np.nanmean(values**2))
        for lag in range(1, lags + 1):
            together = values[lag:] * values[:-lag]
            pairs = together[(motion[lag:] == motion[:-lag]) & np.isfinite(together)]
            if len(pairs):
                correlation = float(pairs.mean()) / variance
                statistic += len(pairs) * correlation**2
                first = correlation if lag == 1 else first
        found.append(Whiteness(name, first, float(chi2.sf(statistic, max(lags, 1)))))
    return tuple(found)


def excess_p_values(fit: ShootingFit) -> Array:
    """(J,) probability of residuals as large if the stated noise is right; NaN if not observed."""
    count = fit.grid.is_observed.sum(0)
    free = np.maximum(count - 2 * len(fit.grid.starts), 1)
    return np.where(count > 0, chi2.sf(free * np.nan_to_num(fit.noise) ** 2, free), np.nan)


def step_shifts(fit: ShootingFit, data: JointMotionData, options: ShootingOptions) -> Array:
    """Return how far half the time step moves each parameter (P,), in standard deviations.

    The change of the motion, from the same states on, takes the place of the residuals: the linear
    problem at the fit says which parameters would make up for it.
    """
    mechanism, step = fit.rollout.mechanism, fit.grid.step / 2
    grid = window_grid(data, mechanism.joints, step, options)
    finer = WindowRollout(mechanism, grid)
    models = finer.models(fit.coordinates)
    models[0].opt.timestep = step
    states = np.zeros((len(grid.motion), fit.states.shape[1]))
    states[grid.starts] = fit.states[fit.grid.starts]
    made = finer.predict(models, finer.shot(models[0], states)[None])
    changed = (made.frames[0] - fit.made.frames) / fit.grid.stds
    if not np.isfinite(changed).all():
        return np.full(len(fit.coordinates), np.inf)
    residuals = replace(fit.residuals, frames=changed, gaps=np.zeros_like(fit.residuals.gaps))
    table, scale = mechanism.table, fit.rollout.state_scale
    system = shooting_system(
        fit.made,
        residuals,
        fit.grid,
        options.defects[-1] * scale,
        (np.linalg.inv(np.linalg.cholesky(table.prior_covariance)), np.zeros(len(table))),
        (scale, table.prior_std),
    )
    solved = system.solved(0.0)
    return np.asarray(solved.step()[0] / np.sqrt(np.diag(solved.covariance)))
