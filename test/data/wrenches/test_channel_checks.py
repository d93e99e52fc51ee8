"""Tests of wrenches that no sensor of a moving load states."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import weighed

from autourdf_ros.data.wrenches.channel_checks import check_channels
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import (
    SensorOptions,
    prepare_records,
)


def test_a_channel_that_never_changes_is_named():
    recording = weighed()
    check_channels(recording)
    with pytest.raises(InputError, match="all wrenches are zero"):
        prepare_records(replace(recording, wrenches=np.zeros((600, 6))), SensorOptions())
    wrenches = recording.wrenches.copy()
    wrenches[:, 2] = -3.5
    with pytest.raises(InputError, match=r"never change: force z \(-3\.5\)"):
        prepare_records(replace(recording, wrenches=wrenches), SensorOptions())


def test_single_spikes_are_named_with_their_time():
    recording = weighed()
    wrenches = recording.wrenches.copy()
    wrenches[[100, 300], :] = 500.0
    with pytest.raises(InputError, match=r"force x jumps to 500 at 1\.00. s, and 2 of 600 records"):
        check_channels(replace(recording, wrenches=wrenches))
    wrenches = recording.wrenches.copy()
    wrenches[100:140, :3] += 15.0  # a contact, which lasts
    check_channels(replace(recording, wrenches=wrenches))


def test_another_unit_of_time_or_length_is_named():
    recording = weighed()
    with pytest.raises(InputError, match=r"times in s \(are these ms\?\)"):
        check_channels(replace(recording, times=1000 * recording.times))
    poses = recording.sensor_poses.copy()
    poses[:, :3, 3] *= 1000
    with pytest.raises(InputError, match=r"positions in m \(are these mm\?\)"):
        check_channels(replace(recording, sensor_poses=poses))
