"""From a fit to a posterior: Laplace's approximation in the fitting coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import (
    DynamicsPosterior,
    MotionState,
)
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit

Array = NDArray[np.float64]


def laplace_posterior(fit: ShootingFit, warnings: tuple[str, ...] = ()) -> DynamicsPosterior:
    """Return the Gaussian posterior about a fit."""
    if not fit.converged:
        warnings = (f"the fit did not converge in {fit.iterations} iterations", *warnings)
    grid, joints = fit.grid, fit.grid.observed.shape[1]
    starts, ends = [], []
    for motion, window in enumerate(grid.starts):
        covariance, cross = fit.solved.state_covariances[window]
        state = fit.states[window]
        stamps = grid.stamps[grid.motion[grid.window] == motion]
        starts.append(
            MotionState(float(stamps[0]), state[:joints], state[joints:], covariance, cross)
        )
        ends.append(_end(fit, int(np.flatnonzero(grid.motion == motion)[-1]), float(stamps[-1])))
    return DynamicsPosterior(
        fit.rollout.mechanism,
        fit.coordinates,
        fit.solved.covariance,
        tuple(starts),
        tuple(ends),
        fit.noise * np.sqrt(fit.times),
        warnings,
    )


def _end(fit: ShootingFit, window: int, stamp: float) -> MotionState:
    """State at a motion's last stamp: that of its last window's end, at most a step from there."""
    joints = fit.grid.observed.shape[1]
    covariance, cross = fit.solved.state_covariances[window]
    state = fit.made.ends[window]
    by_state, by_parameters = fit.made.ends_by_state[window], fit.made.ends_by_parameters[window]
    mixed = by_state @ cross @ by_parameters.T
    there = (
        by_state @ covariance @ by_state.T
        + by_parameters @ fit.solved.covariance @ by_parameters.T
        + mixed
        + mixed.T
    )
    across = by_state @ cross + by_parameters @ fit.solved.covariance
    return MotionState(stamp, state[:joints], state[joints:], (there + there.T) / 2, across)
