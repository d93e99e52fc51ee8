"""Signals and their derivatives from records at uneven times: a polynomial around each record.

Least squares over the records of a window, at their true times; with even times this is the filter
of Savitzky, Golay, "Smoothing and Differentiation of Data", Analytical Chemistry 1964.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.int64]

GAUSSIAN = 1.4826
"""Standard deviation of a Gaussian over its median absolute deviation."""


@dataclass(frozen=True)
class LocalPolynomials:
    """Linear filters of n records, each over at most w of them.

    Attributes:
        places: (n, w) numbers of the records that a filter takes.
        filters: (3, n, w) weights of value, first and second derivative (1, 1/s, 1/s²).
    """

    places: Places
    filters: Array

    def derivative(self, signals: Array, order: int) -> Array:
        """Return a derivative (n, ...) of signals (n, ...): 0 the value, 1, or 2."""
        return np.asarray(np.einsum("nw,nw...->n...", self.filters[order], signals[self.places]))

    def gain(self, order: int, records: NDArray[np.bool_] | None = None) -> float:
        """Return the root mean square deviation of a derivative of unit white noise at records."""
        squares = (self.filters[order] ** 2).sum(1)
        return float(np.sqrt(squares.mean() if records is None else squares[records].mean()))

    def white_noise(self, signals: Array) -> float:
        """Return the deviation of white noise on signals (n, k) that the polynomials follow.

        The median of what they leave, which withstands jumps.
        """
        own = np.arange(len(signals))[:, None] == self.places
        values = self.filters[0]
        left = ((own - values) ** 2).sum(1)
        rest = np.abs(signals - self.derivative(signals, 0)) / np.sqrt(left)[:, None]
        return float(np.median(rest) * GAUSSIAN)


def local_polynomials(times: Array, seconds: float, order: int, least: int) -> LocalPolynomials:
    """Return the filters of polynomials of an order over windows of a length.

    A window that would begin before the first record or end after the last one lies inside and is
    twice as long, because polynomials amplify noise at their ends.

    Args:
        times: (n,) s, increasing; n is at least `least`.
        seconds: Length of the windows.
        order: Of the polynomial, at least 2.
        least: Records in a window at least, where the records are far apart; more than the order.
    """
    first, last = _windows(times, seconds, least)
    width = int((last - first).max())
    start = np.minimum(first, len(times) - width)
    places = start[:, None] + np.arange(width)
    used = (places >= first[:, None]) & (places < last[:, None])
    apart = times[places] - times[:, None]
    scale = np.abs(apart * used).max(1)
    powers = (apart / scale[:, None])[..., None] ** np.arange(order + 1)
    inverse = np.linalg.pinv(powers * used[..., None])
    factors = np.stack([np.ones_like(scale), 1 / scale, 2 / scale**2])
    return LocalPolynomials(places, np.moveaxis(inverse[:, :3], 1, 0) * factors[..., None])


def window_spans(times: Array, seconds: float, least: int) -> Array:
    """Return the time (n,) from the first to the last record of windows; see above."""
    first, last = _windows(times, seconds, least)
    return np.asarray(times[last - 1] - times[first])


def _windows(times: Array, seconds: float, least: int) -> tuple[Places, Places]:
    """First record (n,) of every window, and the one after its last."""
    count = len(times)
    low, high = times - seconds / 2, times + seconds / 2
    high = np.where(low < times[0], times[0] + 2 * seconds, high)
    low = np.where(times + seconds / 2 > times[-1], times[-1] - 2 * seconds, low)
    first, last = np.searchsorted(times, low), np.searchsorted(times, high, side="right")
    lacking = last - first < least
    nearest = np.clip(np.arange(count) - least // 2, 0, count - least)
    return np.where(lacking, nearest, first), np.where(lacking, nearest + least, last)
