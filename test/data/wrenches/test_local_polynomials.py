"""Tests of derivatives at uneven times, and of the window that the data choose."""

import numpy as np
import pytest
from scipy.signal import savgol_filter

from autourdf_ros.data.wrenches.local_polynomials import local_polynomials
from autourdf_ros.data.wrenches.pose_motion import chosen_filters


def uneven(count=400, seed=0):
    return np.cumsum(np.random.default_rng(seed).uniform(0.001, 0.024, count))


@pytest.mark.fast
def test_polynomials_are_differentiated_exactly_at_uneven_times():
    times = uneven()
    signals = np.column_stack([times**4, 3 * times**2 - times])
    found = local_polynomials(times, 0.15, 4, 7)
    np.testing.assert_allclose(found.derivative(signals, 0), signals, atol=1e-6)
    np.testing.assert_allclose(found.derivative(signals, 1)[:, 1], 6 * times - 1, atol=1e-5)
    np.testing.assert_allclose(
        found.derivative(signals, 2)[:, 0], 12 * times**2, rtol=1e-4, atol=1e-2
    )


@pytest.mark.fast
def test_at_even_times_they_are_the_filter_of_savitzky_and_golay():
    times = 0.01 * np.arange(200)
    signal = np.random.default_rng(1).standard_normal((200, 2))
    ours = local_polynomials(times, 0.205, 4, 7).derivative(signal, 2)
    theirs = savgol_filter(signal, 21, 4, 2, 0.01, axis=0)
    np.testing.assert_allclose(ours[45:-45], theirs[45:-45], rtol=1e-6, atol=1e-6)


@pytest.mark.fast
def test_noise_is_measured_and_propagated_at_uneven_times():
    times = uneven(2000)
    noise = 1e-3 * np.random.default_rng(2).standard_normal((2000, 3))
    found = local_polynomials(times, 0.2, 4, 7)
    signals = np.sin(times)[:, None] + noise
    assert found.white_noise(signals) == pytest.approx(1e-3, rel=0.1)
    spread = (found.derivative(signals, 2) + np.sin(times)[:, None]).std()
    assert spread == pytest.approx(found.gain(2) * 1e-3, rel=0.2)


@pytest.mark.fast
def test_the_window_is_short_where_the_motion_jerks_and_long_where_noise_hides_it():
    times = 0.01 * np.arange(500)
    moving = np.abs(times % 1 - 0.5) ** 3 * 8
    noise = np.random.default_rng(3).standard_normal((500, 1))
    clean, _ = chosen_filters(times, (moving[:, None] + 1e-6 * noise,))
    noisy, _ = chosen_filters(times, (moving[:, None] + 1e-2 * noise,))
    assert clean.gain(2) > 10 * noisy.gain(2)
