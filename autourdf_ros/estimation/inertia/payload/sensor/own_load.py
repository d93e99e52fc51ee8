"""The gripper's own inertia, removed from the wrenches, and payloads with joints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.coloured_noise import with_coloured_noise
from autourdf_ros.estimation.inertia.payload.effort_equations import effort_regression
from autourdf_ros.estimation.inertia.payload.moment_equations import (
    KnownLoad,
    Regression,
    regression_of,
)
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter, record_filter
from autourdf_ros.estimation.inertia.payload.regressor import (
    acceleration_derivatives,
    recording_regressor,
)
from autourdf_ros.estimation.inertia.payload.sensor.delay import estimate_delay, without_delay
from autourdf_ros.estimation.inertia.payload.sensor.record_checks import check_saturation
from autourdf_ros.estimation.inertia.payload.sensor.tare import tared
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise

Array = NDArray[np.float64]

_NEGATIVE = 5.0
"""Deviations by which a mass has to be below zero to be none by chance: a level of significance."""


@dataclass(frozen=True)
class GripperOptions:
    """Constants of a gripper that is measured empty.

    Attributes:
        most: Mass (kg), first moments (kg m) and moments (kg m²) that no gripper of an arm exceeds,
            as deviations of what the motion may leave open: physical limits.
        iterations: Of weights and parameters in turn: a resource bound; the second changes little.
    """

    most: tuple[float, float, float] = (20.0, 5.0, 2.0)
    iterations: int = 3


def without_gripper(recording: WrenchRecording, gripper: Array) -> WrenchRecording:
    """Return the recording less the wrench of a gripper with these parameters (10,), for checks.

    The noise of the accelerations acts on the gripper; here it counts as noise of the wrenches.
    Estimates put the gripper into their equations instead (`KnownLoad`).
    """
    own = recording_regressor(recording) @ gripper
    by_motion = acceleration_derivatives() @ gripper
    motion = np.repeat(np.square(recording.acceleration_std or (0.0, 0.0)), 3)
    variances = (motion @ by_motion**2).reshape(2, 3).mean(1)
    noise = np.sqrt(np.square(recording.wrench_std or (0.0, 0.0)) + variances)
    return replace(
        recording, wrenches=recording.wrenches - own, wrench_std=(float(noise[0]), float(noise[1]))
    )


def measured_gripper(
    empty: WrenchRecording,
    delay: float | None = None,
    options: GripperOptions = GripperOptions(),
) -> KnownLoad:
    """Return an empty gripper from a recording of it alone.

    Least squares with a constant bias; the covariance says what the motion leaves open.

    Args:
        empty: Wrenches and motion.
        delay: s, by which the wrenches lag behind the motion; None: estimated.
        options: Constants.

    Raises:
        InputError: a channel is saturated, or the mass is negative.
    """
    regression = _of_gripper(empty, delay)
    known = np.diag(np.repeat(1 / np.square(options.most), (1, 3, 6)))
    found, covariance = np.zeros(10), np.linalg.inv(known)
    for _ in range(options.iterations):
        matrix, target = regression.equations(found).whitened()
        covariance = np.linalg.inv(matrix.T @ matrix + known)
        found = covariance @ (matrix.T @ target)
    _check_gripper(empty, np.asarray(found), np.asarray(covariance))
    return KnownLoad(np.asarray(found), np.asarray((covariance + covariance.T) / 2), weighed=True)


def _check_gripper(empty: WrenchRecording, found: Array, covariance: Array) -> None:
    """Raise InputError where records or what they show are no gripper's."""
    if empty.joints is None:
        check_saturation(empty)
    mass, std = float(found[0]), float(np.sqrt(covariance[0, 0]))
    if mass < -_NEGATIVE * std:
        raise InputError(
            f"{empty.source}: the empty gripper has a mass of {mass:.3g} kg: wrong sign; accepted "
            "is the wrench that it exerts on the sensor (--reaction turns it)"
        )


def _of_gripper(empty: WrenchRecording, delay: float | None) -> Regression:
    if empty.joints is not None:
        return effort_regression(empty, empty.joints, record_filter(empty))
    empty = with_noise(empty)
    empty = without_delay(empty, estimate_delay(empty) if delay is None else delay)
    regression = tared(regression_of(empty, record_filter(empty)))
    return with_coloured_noise(regression, tared(regression_of(empty, RecordFilter())))[0]
