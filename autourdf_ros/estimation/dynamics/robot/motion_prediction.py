"""How well a fitted robot predicts held-out motion under recorded efforts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.robot.recorded_motions import HeldOutMotions
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout

Array = NDArray[np.float64]

BY_STAMP = ShootingOptions(frames=1, windows=10**6, fitted=0.1, stated=True)
"""A window from each stamp to the next: errors of the efforts show in the gaps between them. So
short ones fit any parameters while their gaps are loose."""
_EXACT = 1e-6
"""Standard deviation of parameters that are known (of their logarithms)."""


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
    mechanism: Mechanism, coordinates: Array, held_out: HeldOutMotions
) -> MotionPrediction:
    """Simulate motions with fitting coordinates (P,), each from the state that was reached before.

    That state is fitted to what was recorded before, by the same model; nothing that is predicted
    is looked at.
    """
    table = mechanism.table
    known = dict(zip(table.names, table.values(coordinates).tolist(), strict=True))
    exact = replace(table.with_values(known, dict.fromkeys(known, _EXACT)), scale_std=0.0)
    fit = fit_motions(mechanism.with_table(exact), held_out.before, BY_STAMP)
    last = np.append(fit.grid.starts[1:], len(fit.grid.motion)) - 1
    ahead = [
        _from(motion, before.stamps[0] + fit.grid.step * first)
        for motion, before, first in zip(
            held_out.ahead.motions, held_out.before.motions, fit.grid.first[last], strict=True
        )
    ]
    data, step = replace(held_out.ahead, motions=tuple(ahead)), fit.grid.step
    grid = window_grid(data, mechanism.joints, step, ShootingOptions(windows=1))
    rollout = WindowRollout(mechanism, grid)
    made = rollout.predict(rollout.models(coordinates), fit.states[None, last])
    seen = grid.is_observed.any(1)
    return MotionPrediction(grid.stamps[seen], grid.observed[seen], made.frames[0][seen])


def _from(motion: JointMotion, start: float) -> JointMotion:
    """A motion that begins at `start`, without a joint value there."""
    nothing = np.full((1, motion.positions.shape[1]), np.nan)
    return replace(
        motion,
        stamps=np.append(start, motion.stamps),
        positions=np.vstack([nothing, motion.positions]),
        stds=np.vstack([nothing, motion.stds]),
    )
