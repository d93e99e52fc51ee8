"""Refuse wrenches whose channels no sensor of a moving load states: each fault by its name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError

CHANNELS = ("force x", "force y", "force z", "torque x", "torque y", "torque z")


Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChannelOptions:
    """Constants of the checks.

    Attributes:
        spike: How far a record is from the median of those around it, in ranges of all others: a
            load that is set down hard stays below one.
        around: Records of that median: two bad ones in turn do not move it.
        slowest: Turn (rad/s) below which a motion has another unit of time: a physical limit, the
            fastest turn of a motion that takes its time is a hundred times it.
        longest: Duration (s) from which that is asked.
        fastest: Speed (m/s) of no robot's wrist.
    """

    spike: float = 5.0
    around: int = 5
    slowest: float = 0.005
    longest: float = 600.0
    fastest: float = 10.0


CHANNEL_OPTIONS = ChannelOptions()


def check_channels(recording: WrenchRecording, options: ChannelOptions = CHANNEL_OPTIONS) -> None:
    """Raise InputError where times or positions have another unit, or channels are bad."""
    _check_units(recording, options)
    _check_stuck(recording)
    _check_spikes(recording, options)


def _check_units(recording: WrenchRecording, options: ChannelOptions) -> None:
    times, poses = recording.times, recording.sensor_poses
    interval = np.diff(times)
    turns = poses[:-1, :3, :3].swapaxes(1, 2) @ poses[1:, :3, :3]
    chord = np.linalg.norm(turns - np.eye(3), axis=(1, 2)) / np.sqrt(2)
    turning = _fast(2 * np.arcsin(np.minimum(chord / 2, 1.0)) / interval)
    span = float(times[-1] - times[0])
    if 0 < turning < options.slowest and span > options.longest:
        raise InputError(
            f"{recording.source}: the sensor turns by at most {np.degrees(turning):.2g} degrees a "
            f"second in {span:.5g} s; accepted are times in s (are these ms?)"
        )
    speed = _fast(np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1) / interval)
    if speed > options.fastest:
        raise InputError(
            f"{recording.source}: the sensor moves at {speed:.3g} m/s; accepted are positions in m "
            f"(are these mm?) and times in s, up to {options.fastest:g} m/s"
        )


def _fast(rates: Array) -> float:
    """The speed of the faster records, whatever single ones have."""
    return float(np.percentile(rates, 99))


def _check_spikes(recording: WrenchRecording, options: ChannelOptions) -> None:
    wrenches = recording.wrenches
    near = median_filter(wrenches, (options.around, 1), mode="nearest")
    typical = np.ptp(near, axis=0) + 12 * np.median(np.abs(wrenches - near), axis=0)
    far = np.abs(wrenches - near) > options.spike * typical
    if not far.any():
        return
    record, channel = np.argwhere(far)[0]
    raise InputError(
        f"{recording.source}: {CHANNELS[channel]} jumps to {wrenches[record, channel]:.4g} at "
        f"{recording.times[record] - recording.times[0]:.3f} s, and {far.any(1).sum()} of "
        f"{len(far)} records are such spikes (beside {near[record, channel]:.3g}); accepted are "
        "records without: leave these lines out"
    )


def _check_stuck(recording: WrenchRecording) -> None:
    """Each sensor has noise: one value in all records is no measurement."""
    stuck = np.ptp(recording.wrenches, axis=0) == 0
    if not recording.wrenches.any():
        raise InputError(
            f"{recording.source}: all wrenches are zero; accepted are wrenches of a held object "
            "(is the sensor's driver active?)"
        )
    if stuck.any():
        names = ", ".join(
            f"{name} ({value:g})"
            for name, value, still in zip(CHANNELS, recording.wrenches[0], stuck, strict=True)
            if still
        )
        raise InputError(
            f"{recording.source}: channels that never change: {names}; accepted are sensors of "
            "six axes, none of which is stuck"
        )
