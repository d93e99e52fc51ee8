"""The state of a mechanism at the start of a short motion, its parameters being known."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.forecast.state_forecast import simulated_path
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion

Array = NDArray[np.float64]

_STEP = 1e-6  # of finite differences (rad or m, and per second)


@dataclass(frozen=True)
class StateFitOptions:
    """Bounds of the search.

    Attributes:
        iterations: Gauss-Newton steps at most (resource bound).
        settled: Step in standard deviations below which they end.
    """

    iterations: int = 15
    settled: float = 1e-2


def fitted_state(
    model: mujoco.MjModel, motion: JointMotion, options: StateFitOptions | None = None
) -> tuple[Array, Array]:
    """Return the state (2 J,) at a motion's first stamp, and its covariance (2 J, 2 J).

    Args:
        model: With the parameters.
        motion: Observed values, of at least two stamps, with the forces that act.
        options: Bounds.

    Raises:
        InputError: fewer values than unknowns are observed.
    """
    options = options or StateFitOptions()
    seen = np.isfinite(motion.positions)
    if seen.sum() < 2 * model.nv:
        raise InputError(
            f"start of a forecast: {int(seen.sum())} joint values; accepted are {2 * model.nv}"
        )
    state = _start(motion)
    for _ in range(options.iterations):
        errors, jacobian = _linearised(model, motion, state, seen)
        information = jacobian.T @ jacobian
        move = -np.linalg.lstsq(jacobian, errors, rcond=None)[0]
        state = state + move
        if float(move @ information @ move) < options.settled**2:
            break
    _, jacobian = _linearised(model, motion, state, seen)
    return state, np.asarray(np.linalg.pinv(jacobian.T @ jacobian), np.float64)


def _start(motion: JointMotion) -> Array:
    """Position and velocity of a parabola through the values of each joint."""
    time = motion.stamps - motion.stamps[0]
    found = []
    for own in motion.positions.T:
        known = np.isfinite(own)
        degree = min(2, int(known.sum()) - 1)
        found.append(np.polyfit(time[known], own[known], degree)[::-1][:2])
    return np.concatenate(np.array(found).T)


def _linearised(
    model: mujoco.MjModel, motion: JointMotion, state: Array, seen: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Errors in units of the standard deviations, and their derivatives by the state."""

    def errors(there: Array) -> Array:
        path = simulated_path(model, there, float(motion.stamps[0]), motion.stamps, motion)
        return np.asarray(((path - motion.positions) / motion.stds)[seen])

    here = errors(state)
    moved = [(errors(state + _STEP * unit) - here) / _STEP for unit in np.eye(len(state))]
    return here, np.stack(moved, axis=1)
