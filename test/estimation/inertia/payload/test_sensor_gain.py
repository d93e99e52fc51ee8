"""Tests of deviations where the sensor's channels are wrong by a share of the load."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import data_of, random_parameters, still_recording, true_parameters, weighed

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import KnownLoad, regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.estimation.inertia.payload.sensor.tare import tared

TRUTH = true_parameters()
STILL = still_recording()
GAIN = 0.01


def free(recording, gain, known):
    regression = tared(regression_of(recording, RecordFilter(), known, gain))
    matrix, target = regression.equations(TRUTH).whitened()
    covariance = np.linalg.inv(matrix.T @ matrix)
    return covariance @ (matrix.T @ target), np.sqrt(np.diag(covariance))


@pytest.mark.parametrize("gripper", [0.0, 1.0])
def test_gains_that_are_wrong_in_all_records_are_in_the_deviations(gripper):
    known = KnownLoad(gripper * random_parameters(4) / random_parameters(4)[0])
    wrenches = recording_regressor(STILL) @ (TRUTH + known.parameters)
    off = []
    for seed in range(12):
        random = np.random.default_rng(seed)
        gains = 1 + GAIN * random.standard_normal(6)
        noise = np.repeat([0.05, 0.0025], 3) * random.standard_normal(wrenches.shape)
        recording = replace(STILL, wrenches=wrenches * gains + noise, wrench_std=(0.05, 0.0025))
        found, std = free(recording, GAIN, known)
        off.append((found - TRUTH) / std)
    assert np.abs(off).max() < 4.0
    assert 0.6 < np.sqrt(np.mean(np.square(off))) < 1.4


def test_a_gripper_that_the_sensor_weighed_adds_no_error_of_gain():
    known = KnownLoad(random_parameters(4))
    recording = weighed(parameters=TRUTH + known.parameters)
    _, described = free(recording, GAIN, known)
    _, measured = free(recording, GAIN, replace(known, weighed=True))
    _, alone = free(weighed(), GAIN, KnownLoad())
    assert measured[0] == pytest.approx(alone[0], rel=0.1)
    assert described[0] > 1.5 * measured[0]


@pytest.mark.slow
def test_a_mass_is_no_better_known_than_the_sensor_is_calibrated():
    stds = []
    for gain in (0.0, GAIN):
        options = IdentifyOptions(SensorOptions(gain=gain))
        found = identify_payload(data_of(weighed()), options).estimate
        stds.append(float(np.sqrt(found.covariance[0, 0])))
    assert stds[0] < 1e-3 * TRUTH[0]
    assert 3e-3 * TRUTH[0] < stds[1] < 1.5e-2 * TRUTH[0]


def test_a_gain_that_is_no_share_is_refused():
    with pytest.raises(InputError, match="gain nan; accepted is a share"):
        SensorOptions(gain=float("nan"))
