"""Tests of bias, drift, delay, and loads of the sensor's own."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import data_of, mallet, random_parameters, true_parameters, weighed

from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.sensor.delay import estimate_delay, without_delay
from autourdf_ros.estimation.inertia.payload.sensor.own_load import (
    gripper_of_inertial,
    jointed_parameters,
    measured_gripper,
    without_gripper,
)
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.estimation.inertia.payload.sensor.tare import drift_of
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance, moved

TRUTH = true_parameters()
BIAS = np.array([0.5, -1.0, 2.0, 0.05, 0.02, -0.03])


@pytest.mark.slow
def test_a_bias_is_found_with_the_load():
    found = identify_payload(data_of(weighed(bias=BIAS)), IdentifyOptions()).estimate
    assert geodesic_distance(found.parameters, TRUTH) < 0.06
    assert (np.abs(found.bias - BIAS) < 3 * found.bias_std).all()


def delayed(seconds):
    recording = weighed(0.02, 0.001)
    columns = [
        np.interp(recording.times - seconds, recording.times, one) for one in recording.wrenches.T
    ]
    return replace(recording, wrenches=np.column_stack(columns))


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.06, -0.04])
def test_a_delay_is_found_and_taken_out(seconds):
    recording = delayed(seconds)
    assert estimate_delay(recording) == pytest.approx(seconds, abs=0.008)
    back = without_delay(recording, seconds)
    assert np.abs(back.wrenches - np.column_stack(
        [np.interp(back.times, recording.times, one) for one in weighed(0.02, 0.001).wrenches.T]
    ))[30:-30, :3].max() < 0.1  # fmt: skip


def test_a_drift_is_measured():
    recording = weighed(0.02, 0.001)
    slope = np.array([0.1, 0, 0, 0, 0.004, 0])
    drifting = replace(recording, wrenches=recording.wrenches + np.outer(recording.times, slope))
    drift, std = drift_of(drifting)
    assert (np.abs(drift - slope) < 5 * std).all()


@pytest.mark.slow
def test_a_drift_is_a_warning():
    recording = weighed(0.02, 0.001)
    slope = np.array([0.3, 0, 0, 0, 0, 0])
    drifting = replace(recording, wrenches=recording.wrenches + np.outer(recording.times, slope))
    found = identify_payload(data_of(drifting), IdentifyOptions())
    assert any("drifts by" in warning for warning in found.estimate.warnings)


def test_the_gripper_is_taken_off_as_it_was_measured_empty():
    gripper = random_parameters(4)
    empty = weighed(0.02, 0.001, parameters=gripper, bias=BIAS)
    np.testing.assert_allclose(measured_gripper(empty)[:4], gripper[:4], rtol=0.05, atol=2e-3)
    loaded = weighed(0.0, 0.0, parameters=gripper + TRUTH)
    rest = without_gripper(loaded, gripper).wrenches
    left = rest - weighed(0.0, 0.0).wrenches
    assert np.abs(left).mean() < 0.01 * np.abs(loaded.wrenches).mean()


def test_a_gripper_of_a_urdf_has_its_parameters():
    found = gripper_of_inertial(2.0, np.array([0, 0, 0.1]), np.eye(3) * 0.01)
    np.testing.assert_allclose(found[:4], [2, 0, 0, 0.2])


def test_parts_keep_their_masses_when_a_joint_moves():
    body, density = mallet()
    labels = (density > 1000).astype(np.int64)
    moments = body.group_parameters(labels)
    unit, masses = moments / moments[:, :1], np.array([0.1, 0.9])
    turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    opened = jointed_parameters(unit, masses, np.array([np.eye(4), turn]))
    np.testing.assert_allclose(opened, masses[0] * unit[0] + masses[1] * moved(unit[1], turn))


@pytest.mark.slow
def test_a_tared_sensor_needs_no_bias():
    found = identify_payload(data_of(weighed()), IdentifyOptions(SensorOptions(tare=False)))
    assert found.estimate.bias is None
