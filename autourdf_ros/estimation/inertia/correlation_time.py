"""How many records of coloured noise hold as much information as one with independent noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WINDOW = 5.0
"""Of Sokal: lags are summed up to so many correlation times."""


def correlation_times(series: Array) -> Array:
    """Return the integrated autocorrelation times (J,), in records, of series (n, J).

    1 for white noise, and no less. Sokal, "Monte Carlo Methods in Statistical Mechanics", 1996: the
    sum is cut at the first lag that exceeds so many times itself.
    """
    centred = series - series.mean(0)
    length = len(centred)
    spectrum = np.abs(np.fft.rfft(centred, 2 * length, axis=0)) ** 2
    correlation = np.fft.irfft(spectrum, axis=0)[:length]
    correlation /= np.maximum(correlation[:1], np.finfo(float).tiny)
    sums = 2 * np.cumsum(correlation, axis=0) - 1
    lags = np.arange(length)[:, None]
    first = np.argmax(lags >= WINDOW * sums, axis=0)
    return np.asarray(np.maximum(sums[first, np.arange(series.shape[1])], 1.0))
