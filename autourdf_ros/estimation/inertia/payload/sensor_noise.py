"""How noisy wrenches and accelerations are, from the records themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording

Array = NDArray[np.float64]

_GAUSSIAN = 1.4826
"""Standard deviation of a Gaussian over its median absolute deviation."""


def white_noise(signals: Array) -> float:
    """Return the standard deviation of white noise on smooth signals (n, k).

    By second differences, whose noise has six times the variance; their median withstands jumps.
    """
    if len(signals) < 3:
        return 0.0
    return float(np.median(np.abs(np.diff(signals, 2, axis=0))) * _GAUSSIAN / np.sqrt(6))


def with_noise(recording: WrenchRecording) -> WrenchRecording:
    """Return the recording with the noise that it does not state measured from its records."""
    wrenches, motion = recording.wrench_std, recording.acceleration_std
    if wrenches is None:
        wrenches = _pair(recording.wrenches)
    if motion is None:
        motion = _pair(recording.accelerations)
    return replace(recording, wrench_std=wrenches, acceleration_std=motion)


def _pair(signals: Array) -> tuple[float, float]:
    return white_noise(signals[:, :3]), white_noise(signals[:, 3:])
