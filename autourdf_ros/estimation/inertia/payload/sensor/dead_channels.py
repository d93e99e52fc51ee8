"""Refuse a sensor of which one channel does not measure, although it has noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.channel_checks import CHANNELS
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.regressor import cross_matrices, gravity_in_sensor

Array = NDArray[np.float64]

_EXACT = 1e-6
"""Least noise as a share of the largest force or torque: that of records without any."""


@dataclass(frozen=True)
class DeadChannelOptions:
    """When a channel counts as dead: all of these hold.

    Attributes:
        explained: Share of the other channels' variance that one load explains at least.
        clear: How many times as large its expected signal is as its noise.
        beyond: And as what that load leaves of the other channels of its kind.
        follows: Share of that signal that the channel has at most.
        significant: Deviations by which the share lacks of the whole: a level of significance.
    """

    explained: float = 0.9
    clear: float = 5.0
    beyond: float = 2.5
    follows: float = 0.15
    significant: float = 10.0


def check_dead_channels(
    recording: WrenchRecording, bias: bool, options: DeadChannelOptions = DeadChannelOptions()
) -> None:
    """Raise InputError where the load that five channels show is not in the sixth.

    The load is a mass and a first moment that gravity and the sensor's linear acceleration act on.

    Args:
        recording: With its noise.
        bias: Whether channels may have a constant part.
        options: What is evidence enough.
    """
    largest = np.abs(recording.wrenches.reshape(-1, 2, 3)).max(axis=(0, 2))
    least = _EXACT * np.maximum(largest, np.finfo(float).tiny)
    noise = np.repeat(np.maximum(recording.wrench_std or (0.0, 0.0), least), 3)
    rows = _rows(recording) / noise[:, None]
    values = recording.wrenches / noise
    if bias:
        rows, values = rows - rows.mean(0), values - values.mean(0)
    for channel, name in enumerate(CHANNELS):
        others = np.arange(len(CHANNELS)) != channel
        known, seen = rows[:, others], values[:, others]
        load = np.linalg.lstsq(known.reshape(-1, 4), seen.ravel(), rcond=None)[0]
        rest = seen - known @ load
        expected, measured = rows[:, channel] @ load, values[:, channel]
        power = float(expected @ expected)
        alike = np.flatnonzero(others) // 3 == channel // 3
        left = float((rest[:, alike] ** 2).sum(0).max())
        least = max(options.clear**2 * len(expected), options.beyond**2 * left)
        agree = (rest**2).sum() <= (1 - options.explained) * (seen**2).sum()
        if not agree or power < least:
            continue
        share = float(expected @ measured) / power
        deviation = float((measured - share * expected).std()) / np.sqrt(power)
        if abs(share) < options.follows and 1 - share > options.significant * deviation:
            raise InputError(
                f"{recording.source}: {name} has {100 * max(share, 0.0):.0f} % of the load that "
                "the other five channels agree on: it does not measure; accepted are sensors of "
                "six axes, none of which is dead (cable, driver, order of the channels)"
            )


def _rows(recording: WrenchRecording) -> Array:
    """Wrenches (n, 6, 4) of a unit mass and of unit first moments."""
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    rows = np.zeros((len(fall), 6, 4))
    rows[:, :3, 0] = fall
    rows[:, 3:, 1:] = -cross_matrices(fall)
    return rows
