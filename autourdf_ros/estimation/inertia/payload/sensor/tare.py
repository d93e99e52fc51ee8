"""Bias of a force-torque sensor, estimated jointly with the load from several orientations.

A constant offset of unknown size is the same as equations less their means: what is left does not
depend on it. The offset follows from the means.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor

Array = NDArray[np.float64]


def tared(regression: Regression) -> Regression:
    """Return the regression less its means, which is free of a constant bias."""
    return replace(
        regression,
        rows=regression.rows - regression.rows.mean(0),
        wrenches=regression.wrenches - regression.wrenches.mean(0),
    )


def bias_of(regression: Regression, parameters: Array, covariance: Array) -> tuple[Array, Array]:
    """Return the bias (6,) that a load leaves over (N, N m) and its standard deviations."""
    mean = regression.rows.mean(0)
    bias = regression.load_wrenches.mean(0) - mean @ parameters
    noise = regression.excess * regression.wrench_variance / len(regression.rows)
    spread = mean @ covariance @ mean.T + np.diag(noise)
    return bias, np.sqrt(np.diag(spread))


def drift_of(recording: WrenchRecording) -> tuple[Array, Array]:
    """Return how fast the wrenches drift (6,) (N/s, N m/s) beside any rigid load, and deviations.

    Least squares with an offset and a slope for every channel beside the load's parameters.
    """
    rows = recording_regressor(recording)
    time = recording.times - recording.times.mean()
    count = len(time)
    load = rows.reshape(-1, 10)
    channels = np.tile(np.eye(6), (count, 1))
    columns = np.hstack([load, channels, channels * np.repeat(time, 6)[:, None]])
    scale = np.linalg.norm(columns, axis=0)
    scale[scale == 0] = 1.0
    target = recording.wrenches.ravel()
    noise = np.tile(_residual_std(columns / scale, target), count)
    weighted, aim = columns / scale / noise[:, None], target / noise
    normal = np.linalg.pinv(weighted.T @ weighted, hermitian=True)
    found = normal @ (weighted.T @ aim) / scale
    return found[-6:], np.sqrt(np.diag(normal))[-6:] / scale[-6:]


def _residual_std(columns: Array, target: Array) -> Array:
    """Standard deviation of the residual of every channel (6,)."""
    rest = target - columns @ np.linalg.lstsq(columns, target, rcond=None)[0]
    spread = rest.reshape(-1, 6).std(0)
    return np.maximum(spread, np.finfo(float).eps * (1 + np.abs(target).max()))
