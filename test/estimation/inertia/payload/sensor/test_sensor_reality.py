"""Tests of bias, drift, delay, and loads of the sensor's own."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import (
    data_of,
    hasty_recording,
    random_parameters,
    true_parameters,
    weighed,
)

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.moment_equations import KnownLoad
from autourdf_ros.estimation.inertia.payload.payload_estimation import (
    PayloadOptions,
    estimate_payload,
)
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.sensor.delay import estimate_delay, without_delay
from autourdf_ros.estimation.inertia.payload.sensor.own_load import (
    GripperOptions,
    measured_gripper,
    without_gripper,
)
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.estimation.inertia.payload.sensor.tare import drift_of
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise
from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance

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
def test_noise_alone_is_no_delay():
    light = random_parameters(4)
    recording = hasty_recording(3.0, parameters=light / light[0])
    assert estimate_delay(with_noise(recording)) == 0.0


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
    found = measured_gripper(empty).parameters
    np.testing.assert_allclose(found[:4], gripper[:4], rtol=0.05, atol=2e-3)
    loaded = weighed(0.0, 0.0, parameters=gripper + TRUTH)
    rest = without_gripper(loaded, gripper).wrenches
    np.testing.assert_allclose(rest, weighed(0.0, 0.0).wrenches, atol=1e-9)


def test_checks_count_the_noise_that_accelerations_have_on_a_gripper():
    gripper = random_parameters(4)
    loaded = weighed(0.05, 0.0025, parameters=gripper + TRUTH)
    alone = without_gripper(loaded, gripper)
    exact = weighed(0.0, 0.0)
    noise = (alone.wrenches - exact.wrenches).reshape(-1, 2, 3).std((0, 2))
    np.testing.assert_allclose(alone.wrench_std, noise, rtol=0.1)


def test_an_empty_gripper_is_known_as_well_as_it_says():
    gripper = random_parameters(4)
    off = []
    for seed in range(6):
        found = measured_gripper(weighed(parameters=gripper, bias=BIAS, seed=seed), 0.0)
        off.append((found.parameters - gripper) / np.sqrt(np.diag(found.covariance)))
    assert np.abs(off).max() < 4.0
    assert 0.6 < np.std(off) < 1.4


def test_what_an_empty_motion_does_not_show_of_a_gripper_stays_open():
    still = weighed(parameters=random_parameters(4), bias=BIAS)
    still = replace(
        still,
        accelerations=np.zeros_like(still.accelerations),
        velocities=np.zeros_like(still.velocities),
        acceleration_std=(0.0, 0.0),
    )
    std = np.sqrt(np.diag(measured_gripper(still, 0.0).covariance))
    np.testing.assert_allclose(std[4:], GripperOptions().most[2], rtol=1e-3)
    assert std[0] < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("measured", [False, True])
def test_a_gripper_on_a_fast_motion_leaves_true_deviations(measured):
    gripper = random_parameters(4)
    gripper = gripper / gripper[0]
    recording = hasty_recording(0.45, parameters=TRUTH + gripper)
    known = KnownLoad(gripper)
    if measured:
        known = measured_gripper(hasty_recording(0.45, seed=1, parameters=gripper))
    options = IdentifyOptions(SensorOptions(gripper=known))
    found = identify_payload(data_of(recording), options).estimate
    off = np.abs(found.parameters - TRUTH) / np.sqrt(np.diag(found.covariance))
    assert off.max() < 4.0
    left = found.predicted - recording.wrenches
    assert np.median(np.abs(left[:, :3])) < 0.1


def test_least_squares_take_the_gripper_off_as_well():
    gripper = random_parameters(4)
    recording = weighed(0.0, 0.0, parameters=gripper + TRUTH)
    data = data_of(recording, gripper=KnownLoad(gripper))
    found = estimate_payload(data, PayloadOptions("ols"))
    plain = estimate_payload(data_of(weighed(0.0, 0.0)), PayloadOptions("ols"))
    np.testing.assert_allclose(found.parameters, plain.parameters, atol=1e-9)


@pytest.mark.slow
def test_a_tared_sensor_needs_no_bias():
    found = identify_payload(data_of(weighed()), IdentifyOptions(SensorOptions(tare=False)))
    assert found.estimate.bias is None


def test_an_empty_gripper_that_is_no_body_is_named():
    gripper = random_parameters(4)
    with pytest.raises(InputError, match=r"the empty gripper has a mass of -.* wrong sign"):
        measured_gripper(weighed(parameters=-gripper), 0.0)
    whole = weighed(parameters=gripper)
    clipped = np.minimum(whole.wrenches, 0.8 * whole.wrenches.max(0))
    with pytest.raises(InputError, match="the sensor is saturated"):
        measured_gripper(replace(whole, wrenches=clipped), 0.0)
