"""States at the windows' starts by local polynomials through the observed joint values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.shooting.window_grid import WindowGrid

Array = NDArray[np.float64]

_DEGREE = 3
_REACH = 8  # frames about a window's start: twice what the polynomial has coefficients


def initial_states(grid: WindowGrid) -> Array:
    """Return states (W, 2 J): positions, then velocities; 0 of joints that are not observed."""
    joints = grid.observed.shape[1]
    states = np.zeros((len(grid.motion), 2 * joints))
    owner = grid.motion[grid.window]
    origin = np.array([grid.stamps[owner == number][0] for number in range(owner[-1] + 1)])
    times = origin[grid.motion] + grid.first * grid.step
    for joint in range(joints):
        for window, time in enumerate(times):
            seen = (owner == grid.motion[window]) & grid.is_observed[:, joint]
            if seen.any():
                states[window, [joint, joints + joint]] = _local(
                    grid.stamps[seen] - time, grid.observed[seen, joint]
                )
    return states


def _local(at: Array, values: Array) -> Array:
    """Value and slope (2,) at 0 of a polynomial through the nearest of the values."""
    near = np.argsort(np.abs(at))[:_REACH]
    at, values = at[near], values[near]
    beside = at.min() > 0 or at.max() < 0  # nothing is observed here: a line goes on less wildly
    degree = min(1 if beside else _DEGREE, len(at) - 1)
    width = max(float(np.abs(at).max()), 1e-12)
    powers = (at / width)[:, None] ** np.arange(degree + 1)
    found = np.linalg.lstsq(powers, values, rcond=None)[0]
    return np.array([found[0], found[1] / width if degree else 0.0])
