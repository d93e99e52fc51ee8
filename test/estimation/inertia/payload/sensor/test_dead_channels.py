"""A channel that has noise but no load is named; one that measures is not."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import hasty_recording, true_parameters, weighed

from autourdf_ros.data.wrenches.channel_checks import CHANNELS
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.sensor.dead_channels import check_dead_channels
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import (
    SensorOptions,
    prepare_records,
)
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise

BIAS = (0.5, -0.3, 0.2, 0.02, 0.01, -0.03)


@pytest.fixture(scope="module")
def recording():
    return replace(weighed(0.2, 0.01, bias=BIAS), wrench_std=None)


@pytest.mark.parametrize("channel", range(6))
def test_a_channel_with_noise_alone_is_named(recording, channel):
    """It was called a slip, a wrong frame or a drift, or nothing at all."""
    random = np.random.default_rng(channel)
    for size in (np.repeat([0.2, 0.01], 3)[channel], recording.wrenches[:, channel].std()):
        wrenches = recording.wrenches.copy()
        wrenches[:, channel] = BIAS[channel] + size * random.standard_normal(len(wrenches))
        with pytest.raises(InputError, match=f"{CHANNELS[channel]} has . % of the load that"):
            prepare_records(replace(recording, wrenches=wrenches), SensorOptions())


@pytest.mark.parametrize(
    "make",
    [
        lambda: weighed(0.2, 0.01, bias=BIAS),
        lambda: weighed(0.0, 0.0),
        lambda: weighed(0.2, 0.01, parameters=true_parameters() / 20),
        lambda: hasty_recording(0.45),
        lambda: hasty_recording(0.45, jolts=True),
    ],
)
def test_a_channel_that_measures_is_not_dead(make):
    check_dead_channels(with_noise(make()), True)


def test_a_load_at_the_sensors_origin_leaves_its_torques_without_any():
    centred = true_parameters() * np.repeat([1.0, 0.0, 1.0], [1, 3, 6])
    check_dead_channels(with_noise(weighed(parameters=centred)), True)
