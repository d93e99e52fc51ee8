"""Smooth measured accelerations, and how much of their noise is left."""

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
class SmoothedMotion:
    """Accelerations after smoothing.

    Attributes:
        accelerations: (n, 6) as in the recording.
        noise_left: Share of the noise's variance that smoothing leaves.
    """

    accelerations: Array
    noise_left: float


def smooth_accelerations(
    recording: WrenchRecording,
    options: SmoothingOptions = SmoothingOptions(),  # noqa: B008  (frozen)
) -> SmoothedMotion:
    """Smooth the accelerations in the world frame, where a motion's are smoothest.

    Savitzky, Golay, "Smoothing and Differentiation of Data", Analytical Chemistry 1964. Noise of
    equal size along all axes stays so in every frame.
    """
    window = window_length(recording.times, options.seconds)
    if window <= options.order or not recording.accelerations.any():
        return SmoothedMotion(recording.accelerations, 1.0)
    turns = recording.sensor_poses[:, :3, :3]
    pairs = recording.accelerations.reshape(-1, 2, 3)
    world = np.einsum("nij,nkj->nki", turns, pairs)
    smooth = savgol_filter(world, window, options.order, axis=0)
    back = np.einsum("nji,nkj->nki", turns, smooth).reshape(-1, 6)
    left = float((savgol_coeffs(window, options.order) ** 2).sum())
    return SmoothedMotion(back, left)


def window_length(times: Array, seconds: float) -> int:
    """Return the odd number of records that a window takes; at most all of them."""
    step = float(np.median(np.diff(times)))
    half = min(round(seconds / step / 2 - 0.25), (len(times) - 1) // 2)
    return 2 * max(half, 0) + 1
