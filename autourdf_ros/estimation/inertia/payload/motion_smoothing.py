"""Smooth what was measured, and how much of the accelerations' noise is left.

Smoothing flattens accelerations where a move starts and stops. Equations whose two sides go through
the same filter still hold, whatever it flattens: wrenches and regressors are smoothed alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_coeffs, savgol_filter

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SmoothingOptions:
    """Constants of the smoothing.

    Attributes:
        seconds: Length of the window; a resource of bandwidth: motions of an arm that last longer
            than this pass unchanged.
        order: Of the local polynomial; the lowest one that keeps peaks of acceleration.
    """

    seconds: float = 0.21
    order: int = 3


@dataclass(frozen=True)
class RecordFilter:
    """A linear filter over records: Savitzky and Golay's of a window, or none.

    Attributes:
        window: Odd number of records.
        order: Of the polynomial; a window no longer than it changes nothing.
    """

    window: int = 1
    order: int = 3

    @property
    def noise_left(self) -> float:
        """Share of the variance of white noise that is left."""
        if self.window <= self.order:
            return 1.0
        return float((savgol_coeffs(self.window, self.order) ** 2).sum())

    def noise_gains(self, count: int) -> Array:
        """Return the share of the variance of white noise that is left in each of n records.

        It is larger at the ends, where the polynomials have records on one side only.
        """
        gains = np.full(count, self.noise_left)
        half = self.window // 2
        if self.window > self.order and half:
            weights = self.smooth(np.eye(self.window))
            gains[:half] = (weights[:half] ** 2).sum(1)
            gains[-half:] = gains[:half][::-1]
        return gains

    def smooth(self, signals: Array) -> Array:
        """Return signals (n, ...) smoothed along the records."""
        if self.window <= self.order:
            return signals
        return np.asarray(savgol_filter(signals, self.window, self.order, axis=0))


def record_filter(
    recording: WrenchRecording, options: SmoothingOptions = SmoothingOptions()
) -> RecordFilter:
    """Return the filter for a recording; none where it does not accelerate."""
    if not recording.accelerations.any():
        return RecordFilter()
    return RecordFilter(window_length(recording.times, options.seconds), options.order)


def window_length(times: Array, seconds: float) -> int:
    """Return the odd number of records that a window takes; at most all of them."""
    step = float(np.median(np.diff(times)))
    half = min(round(seconds / step / 2 - 0.25), (len(times) - 1) // 2)
    return 2 * max(half, 0) + 1
