"""Refuse wrenches whose channels no sensor of a moving load states: each fault by its name."""

from __future__ import annotations

import numpy as np

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError

CHANNELS = ("force x", "force y", "force z", "torque x", "torque y", "torque z")


def check_channels(recording: WrenchRecording) -> None:
    """Raise InputError where a channel has one value in all records: each sensor has noise."""
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
