"""Velocities and accelerations of a sensor from its poses, with their noise.

Savitzky, Golay, "Smoothing and Differentiation of Data", Analytical Chemistry 1964. Turns are
differentiated as quaternions q: the angular velocity is 2 q̇ q*, its derivative 2 q̈ q*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import interp1d
from scipy.signal import savgol_coeffs, savgol_filter
from scipy.spatial.transform import Rotation, Slerp

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MotionOptions:
    """Constants of differentiation.

    Attributes:
        seconds: Length of the window: a resource of bandwidth, motions of an arm last longer.
        order: Of the local polynomial: the lowest one with a second derivative that changes.
        least: Records in a window, at least: one more than the polynomial has numbers.
    """

    seconds: float = 0.25
    order: int = 4
    least: int = 7


MOTION_OPTIONS = MotionOptions()


@dataclass(frozen=True)
class PoseMotion:
    """Motion of n records, along the sensor's axes.

    Attributes:
        velocities: (n, 6) linear, angular.
        accelerations: (n, 6) likewise.
        acceleration_std: Deviations of linear (m/s²) and angular (rad/s²) acceleration.
    """

    velocities: Array
    accelerations: Array
    acceleration_std: tuple[float, float]


def motion_of_poses(
    times: Array, poses: Array, options: MotionOptions = MOTION_OPTIONS
) -> PoseMotion:
    """Return the motion of poses (n, 4, 4) in the world frame at times (n,), along their axes."""
    count = len(times)
    window = min(max(_odd(options.seconds / np.median(np.diff(times))), options.least), _odd(count))
    if window < options.least:
        return PoseMotion(np.zeros((count, 6)), np.zeros((count, 6)), (0.0, 0.0))
    even = np.linspace(times[0], times[-1], count)
    step = float(even[1] - even[0])
    places = interp1d(times, poses[:, :3, 3], axis=0)(even)
    turns = Slerp(times, Rotation.from_matrix(poses[:, :3, :3]))(even).as_quat()
    found = np.concatenate([places, _continuous(turns)], axis=1)
    first = savgol_filter(found, window, options.order, 1, step, axis=0)
    second = savgol_filter(found, window, options.order, 2, step, axis=0)
    spin, turning = _angular(found[:, 3:], first[:, 3:]), _angular(found[:, 3:], second[:, 3:])
    world = np.stack([first[:, :3], spin, second[:, :3], turning], axis=1)
    back = interp1d(even, world, axis=0)(times)
    local = np.einsum("nji,nkj->nki", poses[:, :3, :3], back).reshape(count, 12)
    gain = float(np.linalg.norm(savgol_coeffs(window, options.order, 2, step)))
    noise = (gain * _noise(places), 2 * gain * _noise(found[:, 3:]))
    return PoseMotion(local[:, :6], local[:, 6:], noise)


def _odd(count: float) -> int:
    return 2 * int((count - 1) // 2) + 1


def _continuous(turns: Array) -> Array:
    """Quaternions (n, 4) of one sign: neighbours are on the same side."""
    flips = np.where((turns[1:] * turns[:-1]).sum(1) < 0, -1.0, 1.0)
    return np.asarray(turns * np.cumprod(np.r_[1.0, flips])[:, None])


def _angular(turns: Array, derivatives: Array) -> Array:
    """Twice the vector part of derivative times conjugate, quaternions x y z w."""
    vector, scalar = turns[:, :3], turns[:, 3:]
    own, real = derivatives[:, :3], derivatives[:, 3:]
    return np.asarray(2 * (own * scalar - real * vector - np.cross(own, vector)))


def _noise(signals: Array) -> float:
    """Deviation of white noise on smooth signals (n, k), by third differences."""
    if len(signals) < 4:
        return 0.0
    return float(np.median(np.abs(np.diff(signals, 3, axis=0))) * 1.4826 / np.sqrt(20))
