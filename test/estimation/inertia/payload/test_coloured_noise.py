"""Tests of deviations where the wrenches' noise lasts over several records."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter
from weighed_tools import still_recording, true_parameters

from autourdf_ros.estimation.inertia.correlation_time import correlation_times
from autourdf_ros.estimation.inertia.payload.coloured_noise import with_coloured_noise
from autourdf_ros.estimation.inertia.payload.moment_equations import regression_of
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter, record_filter
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.estimation.inertia.payload.sensor.tare import tared
from autourdf_ros.estimation.inertia.payload.sensor_noise import with_noise

TRUTH = true_parameters()
STILL = still_recording()
STEP = 0.01


def lasting(seconds, seed, shape):
    """Return noise of unit variance, of first order with a time constant; 0 is white."""
    share = np.exp(-STEP / seconds) if seconds else 0.0
    drawn = np.random.default_rng(seed).standard_normal((1000 + shape[0], *shape[1:]))
    return np.sqrt(1 - share**2) * lfilter([1], [1, -share], drawn, axis=0)[1000:]


def off(seconds, seed, **stated):
    """Return errors of the ten parameters in deviations, and the correlation times."""
    noise = np.repeat([0.05, 0.0025], 3) * lasting(seconds, seed, (len(STILL.times), 6))
    wrenches = recording_regressor(STILL) @ TRUTH + noise
    recording = with_noise(replace(STILL, wrenches=wrenches, **stated))
    filtered = tared(regression_of(recording, record_filter(recording)))
    bare = tared(regression_of(recording, RecordFilter()))
    regression, times = with_coloured_noise(filtered, bare)
    matrix, target = regression.equations(TRUTH).whitened()
    covariance = np.linalg.inv(matrix.T @ matrix)
    found = covariance @ (matrix.T @ target)
    return (found - TRUTH) / np.sqrt(np.diag(covariance)), times, regression


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.05, 0.2])
def test_deviations_are_true_where_noise_lasts(seconds):
    errors = np.array([off(seconds, seed)[0] for seed in range(3)])
    assert np.abs(errors[:, 0]).max() < 3.0
    assert np.sqrt(np.mean(errors**2)) < 1.6


def test_the_result_says_how_long_noise_lasts():
    share = np.exp(-STEP / 0.05)
    _, times, _ = off(0.05, 1)
    assert np.mean(times) == pytest.approx((1 + share) / (1 - share), rel=0.35)
    white = correlation_times(lasting(0.0, 0, (4000, 6)))
    np.testing.assert_allclose(white, 1.0, atol=0.25)


def test_noise_that_is_as_stated_stays_as_stated():
    _, _, regression = off(0.0, 0, wrench_std=(0.05, 0.0025))
    np.testing.assert_allclose(np.sqrt(regression.wrench_variance[[0, 3]]), (0.05, 0.0025))
