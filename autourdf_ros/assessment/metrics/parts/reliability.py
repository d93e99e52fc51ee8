"""Whether probabilities say how often they are right: reliability over bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

BINS = 5


@dataclass(frozen=True)
class ReliabilityBin:
    """A group of estimates with similar probability.

    Attributes:
        count: Of estimates.
        probability: Mean of what they say.
        right: Share of them that are right.
    """

    count: int
    probability: float
    right: float


def reliability(
    probabilities: ArrayLike, right: ArrayLike, bins: int = BINS
) -> tuple[ReliabilityBin, ...]:
    """Return bins of equal count, by growing probability.

    Args:
        probabilities: (E,) in [0, 1].
        right: (E,) whether each estimate is right.
        bins: How many; fewer where there are fewer estimates.
    """
    said = np.asarray(probabilities, dtype=np.float64)
    hit = np.asarray(right, dtype=np.float64)
    order = np.argsort(said, kind="stable")
    return tuple(
        ReliabilityBin(len(part), float(said[part].mean()), float(hit[part].mean()))
        for part in np.array_split(order, bins)
        if len(part)
    )


def expected_error(bins: Sequence[ReliabilityBin]) -> float:
    """Return the mean difference of probability and share, weighted by count; NaN without bins.

    Expected calibration error (Naeini, Cooper and Hauskrecht, AAAI 2015) on bins of equal count.
    """
    total = sum(one.count for one in bins)
    if not total:
        return float("nan")
    return sum(one.count * abs(one.probability - one.right) for one in bins) / total
