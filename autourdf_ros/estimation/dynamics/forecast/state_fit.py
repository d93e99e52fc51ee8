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
        halvings: Of a step that does not lower the errors, at most (resource bound).
        settled: Step in standard deviations below which they end.
    """

    iterations: int = 15
    halvings: int = 10
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
        InputError: fewer values than unknowns are observed, or the simulated motion diverges.
    """
    options = options or StateFitOptions()
    seen = np.isfinite(motion.positions)
    if seen.sum() < 2 * model.nv:
        raise InputError(
            f"start of a forecast: {int(seen.sum())} joint values; accepted are {2 * model.nv}"
        )
    state = _start(motion)
    errors, jacobian = _linearised(model, motion, state, seen)
    for _ in range(options.iterations):
        information = jacobian.T @ jacobian
        move = np.asarray(-np.linalg.lstsq(jacobian, errors, rcond=None)[0], np.float64)
        shorter = _shortened(model, motion, state, move, errors, seen, options.halvings)
        if shorter is None:
            break
        state = state + shorter
        errors, jacobian = _linearised(model, motion, state, seen)
        if float(shorter @ information @ shorter) < options.settled**2:
            break
    return state, np.asarray(np.linalg.pinv(jacobian.T @ jacobian), np.float64)


def _shortened(
    model: mujoco.MjModel,
    motion: JointMotion,
    state: Array,
    move: Array,
    errors: Array,
    seen: NDArray[np.bool_],
    halvings: int,
) -> Array | None:
    """The longest of a step and its halves that lowers the errors; None where none does."""
    for _ in range(halvings + 1):
        tried = _errors(model, motion, state + move, seen)
        if np.isfinite(tried).all() and tried @ tried <= errors @ errors:
            return move
        move = move / 2
    return None


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
    here = _errors(model, motion, state, seen)
    moved = [
        (_errors(model, motion, state + _STEP * unit, seen) - here) / _STEP
        for unit in np.eye(len(state))
    ]
    jacobian = np.stack(moved, axis=1)
    if not (np.isfinite(here).all() and np.isfinite(jacobian).all()):
        raise InputError(
            "start of a forecast: the motion that the parameters give diverges; accepted is a "
            "mechanism whose simulation stays finite over the observed frames"
        )
    return here, jacobian


def _errors(
    model: mujoco.MjModel, motion: JointMotion, state: Array, seen: NDArray[np.bool_]
) -> Array:
    """Differences of the simulated and the observed values, in standard deviations."""
    path = simulated_path(model, state, float(motion.stamps[0]), motion.stamps, motion)
    return np.asarray(((path - motion.positions) / motion.stds)[seen])
