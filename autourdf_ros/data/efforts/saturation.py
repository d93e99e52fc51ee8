"""Whether a measured signal stays at an end of its range."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

REPEATED = 0.1
"""Share of the records away from both ends that repeat the one before, above which a signal has
coarse numbers: at a stop these repeat at an end of its range, too, and show no limit."""


class SaturatedEnd(NamedTuple):
    """A value at which a signal stays, and in which share of its records."""

    value: float
    share: float


def saturated_end(
    values: NDArray[np.float64], share: float, crowded: float, largest: float = np.inf
) -> SaturatedEnd | None:
    """Return the end at which a signal (n,) stays; None where it does at neither.

    Args:
        values: The signal. One that never changes is at no end.
        share: Of the records at an end, above which it may be a limit.
        crowded: How many times as many records as the value beside has, above which it is one.
        largest: Size from which a value is at the stated limit, whatever else it has.
    """
    found, counts = np.unique(values, return_counts=True)
    if len(found) < 2:
        return None
    inner = (values > found[0]) & (values < found[-1])
    pairs = inner[1:] & inner[:-1]
    coarse = not pairs.any() or float((np.diff(values)[pairs] == 0).mean()) > REPEATED
    for end, beside in ((0, 1), (-1, -2)):
        own = float(counts[end] / len(values))
        limit = abs(found[end]) >= largest
        crowd = not coarse and counts[end] > crowded * counts[beside]
        if own > share and counts[end] >= 3 and (crowd or limit):
            return SaturatedEnd(float(found[end]), own)
    return None
