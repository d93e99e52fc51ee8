"""What multiple shooting found, with all that its posterior and its checks need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.shooting.shooting_elimination import (
    EliminatedStates,
    Residuals,
)
from autourdf_ros.estimation.dynamics.shooting.window_grid import WindowGrid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import Linearisation, WindowRollout

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ShootingFit:
    """What a fit found.

    Attributes:
        rollout: Of the mechanism through the windows, with the noise that was estimated.
        coordinates: (P,).
        states: (W, 2 J) at the windows' starts.
        made: Prediction there.
        residuals: There.
        solved: The linear problem there, with the hardest gaps.
        noise: (J,) estimated over stated standard deviations; NaN where not observed.
        times: (J,) records that hold as much as one independent one: standard deviations in the
            rollout's grid are those of the noise times the root of this.
        converged: Whether the last step was short enough.
        iterations: How many there were.
    """

    rollout: WindowRollout
    coordinates: Array
    states: Array
    made: Linearisation
    residuals: Residuals
    solved: EliminatedStates
    noise: Array
    times: Array
    converged: bool
    iterations: int

    @property
    def grid(self) -> WindowGrid:
        """The windows."""
        return self.rollout.grid
