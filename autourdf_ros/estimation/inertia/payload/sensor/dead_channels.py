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


@dataclass(frozen=True)
class DeadChannelOptions:
    """When a channel counts as dead: all of these hold.

    Attributes:
        explained: Share of the other channels' variance that one load explains at least.
        clear: Standard deviations of the channel's noise that its expected signal has at least.
        follows: Share of that signal that the channel has at most.
        significant: Deviations by which the share lacks of the whole: a level of significance.
    """

    explained: float = 0.9
    clear: float = 5.0
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
    noise = np.repeat(recording.wrench_std or (0.0, 0.0), 3) + np.finfo(float).tiny
    rows = _rows(recording) / noise[:, None]
    values = recording.wrenches / noise
    if bias:
        rows, values = rows - rows.mean(0), values - values.mean(0)
    for channel, name in enumerate(CHANNELS):
        others = np.arange(len(CHANNELS)) != channel
        known, seen = rows[:, others].reshape(-1, 4), values[:, others].ravel()
        load = np.linalg.lstsq(known, seen, rcond=None)[0]
        rest = seen - known @ load
        expected, measured = rows[:, channel] @ load, values[:, channel]
        power = float(expected @ expected)
        agree = rest @ rest <= (1 - options.explained) * (seen @ seen)
        if not agree or power < options.clear**2 * len(expected):
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
