"""The gripper's own inertia, removed from the wrenches, and payloads with joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import (
    record_filter,
    smooth_accelerations,
)
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.estimation.inertia.payload.sensor.tare import tared
from autourdf_ros.model.inertial.inertial_parameters import moved, parameters_from

Array = NDArray[np.float64]


def without_gripper(recording: WrenchRecording, gripper: Array) -> WrenchRecording:
    """Return the recording less the wrench of a gripper with these parameters (10,)."""
    smooth = replace(recording, accelerations=smooth_accelerations(recording))
    own = recording_regressor(smooth) @ gripper
    return replace(recording, wrenches=recording.wrenches - own)


def measured_gripper(empty: WrenchRecording) -> Array:
    """Return the parameters (10,) of an empty gripper from a recording of it alone.

    Least squares with a constant bias; entries that the motion does not show are the smallest.
    """
    regression = tared(regression_of(empty, record_filter(empty)))
    matrix, target = regression.equations(np.zeros(10)).whitened()
    return np.asarray(np.linalg.lstsq(matrix, target, rcond=1e-6)[0])


def gripper_of_inertial(mass: float, centre: Array, inertia: Array) -> Array:
    """Return the parameters (10,) of a gripper's `<inertial>`, given in the sensor's frame."""
    if mass < 0:
        raise InputError(f"gripper of mass {mass} kg; accepted is 0 or more")
    return parameters_from(mass, np.asarray(centre, float), np.asarray(inertia, float))


def jointed_parameters(moments: Array, masses: Array, transforms: Array) -> Array:
    """Return the parameters (10,) of a payload whose parts moved against each other.

    The masses stay; each part's place changes.

    Args:
        moments: (k, 10) parameters of the parts at 1 kg each, where they were weighed.
        masses: (k,) kg, from the estimate.
        transforms: (k, 4, 4) how each part moved since, in the same frame.
    """
    parts = [moved(one, transform) for one, transform in zip(moments, transforms, strict=True)]
    return np.asarray(masses @ np.array(parts))
