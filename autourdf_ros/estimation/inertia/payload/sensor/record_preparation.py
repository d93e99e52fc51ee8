"""From a sensor's records to those of the load alone, or a refusal that names the fault."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.channel_checks import check_channels
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import NOTHING_ELSE, KnownLoad
from autourdf_ros.estimation.inertia.payload.sensor.dead_channels import check_dead_channels
from autourdf_ros.estimation.inertia.payload.sensor.delay import (
    DELAY_OPTIONS,
    estimate_delay,
    without_delay,
)
from autourdf_ros.estimation.inertia.payload.sensor.own_load import without_gripper
from autourdf_ros.estimation.inertia.payload.sensor.record_checks import (
    check_frame,
    check_poses,
    check_saturation,
    check_slip,
    check_tare,
    check_torques,
)
from autourdf_ros.estimation.inertia.payload.sensor.tare import drift_of
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise

Array = NDArray[np.float64]

_SIGNIFICANT = 6.0
"""Deviations of a drift from which it is none by chance: a level of significance."""
_HARMFUL = 0.02
"""Share of the load's force or torque over the recording that a drift may reach."""


@dataclass(frozen=True)
class SensorOptions:
    """How the sensor's records are prepared.

    Attributes:
        tare: Whether the sensor has a bias that is to be estimated with the load.
        delay: s, by which the wrenches lag behind the motion; None: estimated.
        gripper: What hangs on the sensor beside the load.
        gain: Standard deviation of each channel's gain, as a share: of the data sheets of common
            sensors; 0 for an exact one.

    Raises:
        InputError: the gain is no share, or the delay is longer than any.
    """

    tare: bool = True
    delay: float | None = None
    gripper: KnownLoad = NOTHING_ELSE
    gain: float = 0.01

    def __post_init__(self) -> None:
        if not 0 <= self.gain < 1:
            raise InputError(f"gain {self.gain:g}; accepted is a share from 0 to below 1")
        most = DELAY_OPTIONS.longest
        if self.delay is not None and not abs(self.delay) <= most:
            raise InputError(f"delay {self.delay:g} s; accepted are {-most:g} to {most:g} s")


@dataclass(frozen=True)
class PreparedRecords:
    """Records of all that hangs on the sensor.

    Attributes:
        recording: Without delay and drift; bias and gripper are left in.
        delay: s that was taken out.
        drift: (6,) of the sensor (N/s, N m/s).
        warnings: Sentences for the user.
    """

    recording: WrenchRecording
    delay: float
    drift: Array
    warnings: tuple[str, ...]


def prepare_records(recording: WrenchRecording, options: SensorOptions) -> PreparedRecords:
    """Check the records, and take delay and drift out of them.

    Efforts of joints have neither, and their wrenches, noisy near singular poses, are not checked.

    Raises:
        InputError: names the fault: stuck or dead channel, saturation, frame or sign, too few
            poses, slip.
    """
    if recording.joints is not None:  # one message has positions and efforts: none is late
        check_poses(recording, False)
        return PreparedRecords(recording, 0.0, np.zeros(6), ())
    check_channels(recording)
    recording = with_noise(recording)
    check_saturation(recording)
    check_poses(recording, options.tare)
    delay = estimate_delay(recording) if options.delay is None else options.delay
    recording = without_delay(recording, delay)
    alone = without_gripper(recording, options.gripper.parameters)
    check_dead_channels(alone, options.tare)
    check_frame(alone, options.tare)
    if not options.tare:
        check_tare(alone)
    check_torques(alone, options.tare)
    check_slip(alone)
    drift, warnings = _drift(alone)
    if warnings:
        linear = np.outer(recording.times - recording.times.mean(), drift)
        recording = replace(recording, wrenches=recording.wrenches - linear)
    return PreparedRecords(recording, delay, drift, warnings)


def _drift(recording: WrenchRecording) -> tuple[Array, tuple[str, ...]]:
    drift, std = drift_of(recording)
    span = float(recording.times[-1] - recording.times[0])
    load = np.repeat(np.ptp(recording.wrenches.reshape(-1, 2, 3), axis=0).max(1), 3)
    drifts = (np.abs(drift) > _SIGNIFICANT * std) & (np.abs(drift) * span > _HARMFUL * load)
    if not drifts.any():
        return drift, ()
    force, torque = np.linalg.norm(drift[:3]), np.linalg.norm(drift[3:])
    return drift, (
        f"the sensor drifts by {force:.2g} N/s and {torque:.2g} N m/s, which was taken "
        "off: let it warm up",
    )


def check_bias(bias: Array, weight: float, source: str) -> None:
    """Raise InputError where the estimated bias (6,) is larger than the load's weight (N)."""
    force = float(np.linalg.norm(bias[:3]))
    if force > weight:
        raise InputError(
            f"{source}: the sensor's bias of {force:.3g} N is larger than the load's weight of "
            f"{weight:.3g} N; accepted are smaller ones: tare the sensor without the load"
        )
