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
