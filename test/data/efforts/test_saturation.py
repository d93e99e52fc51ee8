"""Tests of signals that stay at an end of their range."""

import numpy as np
import pytest

from autourdf_ros.data.efforts.saturation import saturated_end

SWING = 20 * np.sin(np.linspace(0, 20, 2000))
NOISE = 0.02 * np.random.default_rng(0).standard_normal(2000)


def test_a_signal_at_its_limit_is_saturated():
    stuck = saturated_end(np.clip(SWING + NOISE, -100, 18), 0.02, 10.0)
    assert stuck.value == 18
    assert stuck.share > 0.1


@pytest.mark.parametrize("resolution", [0.05, 0.1, 0.25])
def test_coarse_numbers_are_not(resolution):
    rests = np.clip(SWING, -17.4, 17.4) + NOISE
    assert saturated_end(np.round(rests / resolution) * resolution, 0.02, 10.0) is None
    assert saturated_end(np.round(NOISE / 0.04) * 0.04, 0.02, 10.0) is None
