"""A trial of control: a task on a true cart-pole, what it earned, and whether the pole is held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.predictive.path_integral import PathIntegralController

Array = NDArray[np.float64]
Plant = Callable[[Array, float], Array]
"""Returns the true state (4,) a control period after a state, with a force (N) held."""

SWING_UP = np.array([0.0, np.pi, 0.0, 0.0])
"""Hanging at rest (m, rad, m/s, rad/s), as in Heiden et al., section V-C."""
BALANCE = np.array([0.0, np.radians(20), 0.1, 0.0])
"""20 degrees off upright with the cart at 0.1 m/s, as in Heiden et al., section V-C."""
TASKS = {"swing-up": SWING_UP, "balancing": BALANCE}


@dataclass(frozen=True)
class TrialOptions:
    """When a trial counts as a success.

    Attributes:
        steps: Control steps, as in Heiden et al.
        held: Steps at the end during which the pole must stay up.
        upright: Greatest angle from upright during these (rad).
    """

    steps: int = 200
    held: int = 40
    upright: float = 0.2


@dataclass(frozen=True)
class Trial:
    """What happened.

    Attributes:
        states: (steps + 1, 4) of the true cart-pole.
        forces: (steps,) N.
        reward: Mean of (1 + cos angle) / 2 / (1 + cart's speed² + angular velocity²) over the
            steps: 1 is upright at rest. Heiden et al. do not state theirs.
        success: Whether the pole is up at the end and the cart stayed on the rail.
    """

    states: Array
    forces: Array
    reward: float
    success: bool


def run_trial(
    controller: PathIntegralController,
    plant: Plant,
    start: Array,
    options: TrialOptions | None = None,
) -> Trial:
    """Let the controller act on a true cart-pole from a start (4,)."""
    options = options or TrialOptions()
    states, forces = [np.asarray(start, float)], []
    for _ in range(options.steps):
        forces.append(controller.force(states[-1]))
        states.append(plant(states[-1], forces[-1]))
    path = np.array(states)
    angles = np.abs((path[:, 1] + np.pi) % (2 * np.pi) - np.pi)
    up = (angles[-options.held :] < options.upright).all()
    on = (np.abs(path[:, 0]) <= controller.options.rail).all()
    motion = 1 + path[1:, 2] ** 2 + path[1:, 3] ** 2
    reward = float(np.mean((1 + np.cos(path[1:, 1])) / 2 / motion))
    return Trial(path, np.array(forces), reward, bool(up and on))
