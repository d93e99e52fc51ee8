"""What each residual of multiple shooting weighs, by the noise of positions and of forces.

Where forces are known only so well, windows need not join exactly: their gaps have the covariance
that errors of the forces make within a window ("weak constraints": Trémolet, "Accounting for an
imperfect model in 4D-Var", QJRMS 2006). One rollout through a long motion would amplify these
errors instead, and count all that they do as noise of the encoders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.shooting.window_rollout import Linearisation, WindowRollout

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ResidualWeights:
    """Square roots of the information of residuals.

    Attributes:
        frames: (F, J) of positions: 0 where not observed.
        gaps: (W, 2 J, 2 J) of each window's gap.
        hard: Whether one rollout through all windows of a motion, without gaps, is worth a try.
    """

    frames: Array
    gaps: Array
    hard: bool


def residual_weights(
    made: Linearisation, rollout: WindowRollout, ratio: float, last: bool = True
) -> ResidualWeights:
    """Return the weights about a linearised motion.

    Args:
        made: The motion.
        rollout: Its windows.
        ratio: Standard deviations of gaps where forces are exact, as multiples of the noise.
        last: Whether that ratio is the hardest.
    """
    least = ratio * rollout.state_scale
    frames = 1 / np.sqrt(rollout.grid.stds**2 + (made.frames_by_force**2).sum(-1))
    moved = made.ends_by_force / least[:, None]
    spread = np.eye(len(least)) + moved @ np.swapaxes(moved, 1, 2)
    gaps = np.linalg.inv(np.linalg.cholesky(spread)) / least
    return ResidualWeights(frames, gaps, last and not made.ends_by_force.size)
