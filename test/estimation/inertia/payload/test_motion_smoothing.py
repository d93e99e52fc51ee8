"""Tests of smoothed accelerations and measured noise."""

from dataclasses import replace

import numpy as np
import pytest
from weighed_tools import still_recording, true_parameters, weighed

from autourdf_ros.estimation.inertia.payload.moment_equations import regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import (
    RecordFilter,
    record_filter,
    window_length,
)
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.estimation.inertia.payload.sensor_noise import white_noise, with_noise


def test_smoothing_leaves_as_much_noise_as_it_says():
    still = still_recording()
    still = replace(still, accelerations=np.zeros_like(still.accelerations))
    noise = np.random.default_rng(0).standard_normal(still.accelerations.shape)
    noisy = replace(still, accelerations=noise)
    smoothing = record_filter(noisy)
    assert smoothing.smooth(noise)[30:-30].var() == pytest.approx(smoothing.noise_left, rel=0.2)


def test_a_recording_shorter_than_the_window_stays_as_it_is():
    assert window_length(np.arange(5.0), 0.2) == 1


def test_equations_stay_true_where_smoothing_flattens_a_motion():
    fast = replace(weighed(0.0, 0.0), acceleration_std=(0.0, 0.0))
    jolts = fast.accelerations + np.repeat([3.0, 20.0], 3) * (np.arange(600) % 40 < 8)[:, None]
    jolted = replace(fast, accelerations=jolts)
    jolted = replace(jolted, wrenches=recording_regressor(jolted) @ true_parameters())
    smoothing = record_filter(jolted)
    assert np.abs(smoothing.smooth(jolts) - jolts).max() > 1.0
    regression = regression_of(jolted, smoothing)
    np.testing.assert_allclose(
        regression.predicted(true_parameters()), regression.wrenches, atol=1e-9
    )


def test_noise_is_measured_beside_motion():
    noisy = weighed(0.1, 0.005)
    measured = with_noise(replace(noisy, wrench_std=None, acceleration_std=None))
    np.testing.assert_allclose(measured.wrench_std, (0.1, 0.005), rtol=0.15)
    np.testing.assert_allclose(measured.acceleration_std, (0.05, 0.5), rtol=0.15)
    assert with_noise(noisy).wrench_std == (0.1, 0.005)
    assert white_noise(np.zeros((2, 3))) == 0


def test_the_bias_of_noisy_accelerations_is_taken_off():
    still = weighed(0.0, 0.0)
    slopes = []
    for seed in range(20):
        noise = np.random.default_rng(seed).standard_normal(still.accelerations.shape)
        noisy = replace(
            still,
            accelerations=still.accelerations + np.repeat([1.0, 4.0], 3) * noise,
            acceleration_std=(1.0, 4.0),
            wrench_std=(0.05, 0.0025),
        )
        plain = regression_of(noisy, RecordFilter())
        equations = plain.equations(np.zeros(10))
        slopes.append(np.linalg.solve(equations.matrix, equations.target))
        biased = np.linalg.solve(equations.covariance, equations.target)
    truth = true_parameters()
    assert abs(np.mean(slopes, 0)[9] / truth[9] - 1) < abs(biased[9] / truth[9] - 1) / 2
