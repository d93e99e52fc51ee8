"""The level that a statistic exceeds with a wanted chance, from few values of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PRIOR_COUNT = 4.0
"""Values, of the prior mean, that count beside the measured ones."""


def chance_level(values: NDArray[np.float64], chance: float, mean: float = 1.0) -> float:
    """Return the level that the next value exceeds with this chance.

    Values above 0 fall off exponentially at a rate that is known from the measured ones only. Its
    conjugate prior is a gamma distribution, and the next value has Lomax's distribution (Lomax
    1954): P(x > level) = (1 + level / s)^-n, of the count n and the sum s of values and prior. The
    fewer values were measured, the higher is the level.

    Args:
        values: (N,) measured without a change; negative ones count as 0.
        chance: Of the next one.
        mean: Of the prior.
    """
    count = len(values) + PRIOR_COUNT
    total = PRIOR_COUNT * mean + float(np.maximum(values, 0.0).sum())
    return float(total * (chance ** (-1 / count) - 1))


def exceeding_chance(values: NDArray[np.float64], level: float, mean: float = 1.0) -> float:
    """Return the chance with which the next value exceeds a level: inverse of `chance_level`."""
    count = len(values) + PRIOR_COUNT
    total = PRIOR_COUNT * mean + float(np.maximum(values, 0.0).sum())
    return float((1 + level / total) ** -count)
