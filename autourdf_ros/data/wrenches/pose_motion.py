"""Velocities and accelerations of a sensor from its poses, with their noise.

By polynomials around each record (`local_polynomials`), in a window that is as long as the data
allow (Lepski, "On a Problem of Adaptive Estimation in Gaussian White Noise", 1991): a longer one is
taken as long as its accelerations differ from those of all shorter ones by no more than noise.
Poses that were interpolated between slower transforms are straight lines with bends: the shortest
window then has as many bends as it has records elsewhere, since within fewer it shows the lines.
Next to a gap, where the shortest window is far longer than elsewhere, the motion is not known.
Turns are differentiated as quaternions q: the angular velocity is 2 q̇ q*, its derivative 2 q̈ q*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.wrenches.local_polynomials import (
    LocalPolynomials,
    local_polynomials,
    window_spans,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MotionOptions:
    """Constants of differentiation.

    Attributes:
        seconds: Longest window: a resource of bandwidth, motions of an arm last longer.
        order: Of the local polynomial: the lowest one with a second derivative that changes.
        least: Records in a window, at least: one more than the polynomial has numbers.
        expansion: Of the window from one try to the next: a resource bound.
        level: Deviations by which accelerations of two windows may differ: a level of significance.
        bend: Share of the largest bend of a path above which a record has one of its own.
        straight: Share of the moving records without one, from which poses are interpolated.
        gap: Length of a shortest window, or of the time between two poses, in those of even
            records, above which a gap hides the motion, where that is also longer than `seconds`:
            the window at either end is twice as long.
    """

    seconds: float = 0.25
    order: int = 4
    least: int = 7
    expansion: float = 1.3
    level: float = 1.5
    bend: float = 1e-3
    straight: float = 0.5
    gap: float = 2.1


MOTION_OPTIONS = MotionOptions()


@dataclass(frozen=True)
class PoseMotion:
    """Motion of n records, along the sensor's axes.

    Attributes:
        velocities: (n, 6) linear, angular.
        accelerations: (n, 6) likewise.
        acceleration_std: Deviations of linear (m/s²) and angular (rad/s²) acceleration.
        known: (n,) whether no gap between records hides the motion.
    """

    velocities: Array
    accelerations: Array
    acceleration_std: tuple[float, float]
    known: NDArray[np.bool_]


def motion_of_poses(
    times: Array, poses: Array, options: MotionOptions = MOTION_OPTIONS
) -> PoseMotion:
    """Return the motion of poses (n, 4, 4) in the world frame at times (n,), along their axes."""
    count = len(times)
    if count < options.least:
        still = np.zeros((count, 6))
        return PoseMotion(still, still, (0.0, 0.0), np.ones(count, bool))
    turns = _continuous(Rotation.from_matrix(poses[:, :3, :3]).as_quat())
    signals = np.concatenate([poses[:, :3, 3], turns], axis=1)
    shortest = (options.least - 1) * pose_step(times, poses[:, :3, 3], options)
    filters, noise = chosen_filters(times, (signals[:, :3], signals[:, 3:]), options, shortest)
    first, second = filters.derivative(signals, 1), filters.derivative(signals, 2)
    spin, turning = _angular(turns, first[:, 3:]), _angular(turns, second[:, 3:])
    world = np.stack([first[:, :3], spin, second[:, :3], turning], axis=1)
    local = np.einsum("nji,nkj->nki", poses[:, :3, :3], world).reshape(count, 12)
    known = known_motion(times, options)
    gain = filters.gain(2, known)
    std = gain * noise[0], 2 * gain * noise[1]
    return PoseMotion(local[:, :6], local[:, 6:], std, known)


def pose_step(times: Array, places: Array, options: MotionOptions = MOTION_OPTIONS) -> float:
    """Return the time (s) from one measured pose to the next: of those between, none is measured.

    Args:
        times: (n,) s of the records.
        places: (n, 3) of their poses (m).
        options: Of bends.
    """
    step = float(np.median(np.diff(times)))
    speeds = np.diff(places, axis=0) / np.diff(times)[:, None]
    bends = np.linalg.norm(np.diff(speeds, axis=0), axis=1)
    moves = np.linalg.norm(speeds, axis=1)
    moving = moves[1:] > options.bend * moves.max()
    bent = bends > options.bend * bends.max()
    if moving.sum() < options.least or (~bent)[moving].mean() < options.straight:
        return step
    knots = times[1:-1][bent & moving]
    if len(knots) < options.least:
        return step
    return max(step, float(np.median(np.diff(knots))))


def known_motion(times: Array, options: MotionOptions = MOTION_OPTIONS) -> NDArray[np.bool_]:
    """Return for records at times (n,) s whether no gap between them hides the motion."""
    even = (options.least - 1) * float(np.median(np.diff(times)))
    spans = window_spans(times, min(even, options.seconds), options.least)
    return np.asarray(spans <= max(options.gap * even, options.seconds))


def chosen_filters(
    times: Array,
    groups: tuple[Array, ...],
    options: MotionOptions = MOTION_OPTIONS,
    shortest: float = 0.0,
) -> tuple[LocalPolynomials, tuple[float, ...]]:
    """Return the longest filters that do not flatten accelerations, and the noise of each group.

    Args:
        times: (n,) s, at least `options.least`.
        groups: Signals (n, k) with noise of equal size within a group.
        options: Of the windows.
        shortest: Length (s) of the shortest one, at least.
    """
    known = known_motion(times, options)
    step = float(np.median(np.diff(times)))
    window = min(max((options.least - 1) * step, shortest), options.seconds)
    chosen = local_polynomials(times, window, options.order, options.least)
    noise = tuple(chosen.white_noise(group) for group in groups)
    found = [(chosen, [chosen.derivative(group, 2) for group in groups])]
    while window < options.seconds:
        window = min(window * options.expansion, options.seconds)
        longer = local_polynomials(times, window, options.order, options.least)
        values = [longer.derivative(group, 2) for group in groups]
        for shorter, others in found:
            # Windows within each other: the difference has the difference of the variances.
            spread = options.level * shorter.gain(2, known)
            pairs = zip(values, others, strict=True)
            apart = [np.sqrt(np.mean((a - b)[known] ** 2)) for a, b in pairs]
            if any(a > spread * std for a, std in zip(apart, noise, strict=True)):
                return chosen, noise
        chosen = longer
        found.append((longer, values))
    return chosen, noise


def _continuous(turns: Array) -> Array:
    """Quaternions (n, 4) of one sign: neighbours are on the same side."""
    flips = np.where((turns[1:] * turns[:-1]).sum(1) < 0, -1.0, 1.0)
    return np.asarray(turns * np.cumprod(np.r_[1.0, flips])[:, None])


def _angular(turns: Array, derivatives: Array) -> Array:
    """Twice the vector part of derivative times conjugate, quaternions x y z w."""
    vector, scalar = turns[:, :3], turns[:, 3:]
    own, real = derivatives[:, :3], derivatives[:, 3:]
    return np.asarray(2 * (own * scalar - real * vector - np.cross(own, vector)))
