"""How likely observations are, given joint values at their stamps: what CSVGD climbs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.shooting.window_grid import WindowGrid

Array = NDArray[np.float64]


class FrameLikelihood(Protocol):
    """A likelihood of observations."""

    def slopes(self, values: Array) -> tuple[float, Array]:
        """Return its logarithm, and the gradient (F, J) of that at joint values (F, J)."""
        ...


@dataclass(frozen=True)
class TrackLikelihood:
    """Of joint values that were tracked, with Gaussian noise.

    Attributes:
        grid: With the values and their standard deviations.
    """

    grid: WindowGrid

    def slopes(self, values: Array) -> tuple[float, Array]:
        """Return its logarithm, and the gradient (F, J) of that at joint values (F, J)."""
        away = (values - self.grid.observed) / self.grid.stds
        return float(-0.5 * (away**2).sum()), -away / self.grid.stds
