"""The delay of the wrenches behind the motion.

Wrenches are smoothed before they are shifted: a shift by part of a step averages two records, and
would seem to explain noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.estimation.inertia.payload.motion_smoothing import record_filter
from autourdf_ros.estimation.inertia.payload.regressor import orthonormal, recording_regressor

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DelayOptions:
    """Constants of the search.

    Attributes:
        most: Longest delay that is sought, either way (s): a physical limit of drivers, networks.
        longest: That may be stated (s): a sensor's filter and a network together.
        steps: Tried on each side: a resource bound; a parabola refines the best.
        gain: Least share of the residual that a delay has to take off: a level of significance.
        level: And the least deviations that this share is of: a level of significance.
    """

    most: float = 0.2
    longest: float = 2.0
    steps: int = 20
    gain: float = 0.02
    level: float = 5.0


DELAY_OPTIONS = DelayOptions()


def estimate_delay(recording: WrenchRecording, options: DelayOptions = DELAY_OPTIONS) -> float:
    """Return by how much (s) the wrenches lag; 0 where no delay explains them better.

    The delay is that at which a rigid load with a constant bias leaves the least.
    """
    delays = np.linspace(-options.most, options.most, 2 * options.steps + 1)
    smoothing = record_filter(recording)
    rows = smoothing.smooth(recording_regressor(recording))
    smooth = replace(recording, wrenches=smoothing.smooth(recording.wrenches))
    step = float(np.median(np.diff(recording.times)))
    margin = int(np.ceil(options.most / step))
    if len(recording.times) <= 2 * margin + 20:
        return 0.0
    inner = slice(margin, len(recording.times) - margin)
    basis = _basis(rows[inner])
    rest = np.array([_left(smooth, delay, basis, inner) for delay in delays])
    best = int(rest.argmin())
    independent = 3 * len(rows[inner]) * smoothing.noise_left
    gain = max(options.gain, options.level**2 / independent)
    if rest[best] > (1 - gain) * rest[options.steps] or best in (0, len(delays) - 1):
        return 0.0
    before, at, after = rest[best - 1 : best + 2]
    shift = (before - after) / (2 * (before - 2 * at + after))
    return float(delays[best] + shift * (delays[1] - delays[0]))


def without_delay(recording: WrenchRecording, delay: float) -> WrenchRecording:
    """Return the recording with the wrenches brought back to the time of the motion."""
    if delay == 0:
        return recording
    inside = recording.times + delay
    kept = (inside >= recording.times[0]) & (inside <= recording.times[-1])
    return replace(
        recording,
        times=recording.times[kept],
        sensor_poses=recording.sensor_poses[kept],
        velocities=recording.velocities[kept],
        accelerations=recording.accelerations[kept],
        wrenches=_wrenches_at(recording, inside[kept]),
    )


def _wrenches_at(recording: WrenchRecording, times: Array) -> Array:
    columns = [np.interp(times, recording.times, one) for one in recording.wrenches.T]
    return np.column_stack(columns)


def _basis(rows: Array) -> Array:
    """An orthonormal basis of what a load and a bias can exert."""
    count = len(rows)
    columns = np.hstack([rows.reshape(-1, 10), np.tile(np.eye(6), (count, 1))])
    return orthonormal(columns)


def _left(recording: WrenchRecording, delay: float, basis: Array, inner: slice) -> float:
    target = _wrenches_at(recording, recording.times + delay)[inner].ravel()
    rest = (target - basis @ (basis.T @ target)).reshape(-1, 6)
    return float((rest[:, :3] ** 2).sum() / max(target.reshape(-1, 6)[:, :3].var(), 1e-12))
