"""How well a fitted robot predicts held-out motion under recorded efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout
from autourdf_ros.estimation.dynamics.shooting.window_states import initial_states

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MotionPrediction:
    """Motions simulated from their first state on, under known forces alone.

    Attributes:
        stamps: (F,) s, of all motions one after the other.
        observed: (F, J).
        predicted: (F, J).
    """

    stamps: Array
    observed: Array
    predicted: Array

    @property
    def errors(self) -> Array:
        """(J,) RMS difference (rad or m)."""
        return np.asarray(np.sqrt(np.mean((self.predicted - self.observed) ** 2, axis=0)))


def predict_motions(
    mechanism: Mechanism, coordinates: Array, data: JointMotionData
) -> MotionPrediction:
    """Simulate motions with fitting coordinates (P,); each starts where it was observed."""
    whole = ShootingOptions(windows=1)
    grid = window_grid(data, mechanism.joints, mechanism.nominal.opt.timestep, whole)
    rollout = WindowRollout(mechanism, grid)
    made = rollout.predict(rollout.models(coordinates), initial_states(grid)[None])
    return MotionPrediction(grid.stamps, grid.observed, made.frames[0])
