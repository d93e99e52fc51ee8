from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.dynamics.robot.recorded_motions import (
    CuttingOptions,
    resistance_levels,
)

OPTIONS = CuttingOptions(resisting=0.05, spacing=0.1)


def recorded(rate=200.0, seconds=4.0, noise=0.0):
    """Joint a moves at 2 rad/s to and fro with efforts of 3 N m, b at 0.1 with 40, c rests."""
    times = np.arange(0.0, seconds, 1 / rate)
    way = np.abs((times + 0.5) % 2 - 1)  # of slope 1, turning each second
    positions = np.stack([2 * way, 0.1 * way, np.full_like(times, 0.7)], axis=1)
    rng = np.random.default_rng(0)
    sign = np.where(rng.random(len(times)) < 0.5, -1.0, 1.0)
    efforts = np.stack([3 * sign, 40 * sign, np.zeros_like(times)], axis=1)
    positions = positions + noise * rng.normal(size=positions.shape) * [1, 1, 0]
    return EffortRecording(("a", "b", "c"), times, positions, efforts)


def test_each_resistance_takes_its_share_of_the_effort():
    found = resistance_levels(recorded(), OPTIONS)
    # Of spans of 0.1 s, one in ten holds a turn, in its middle, and shows no speed.
    assert found["friction of a"] == pytest.approx(0.05 * 3)
    assert found["friction of b"] == pytest.approx(0.05 * 40)
    assert found["damping of a"] == pytest.approx(0.05 * 3 / 2, rel=0.15)
    assert found["damping of b"] == pytest.approx(0.05 * 40 / 0.1, rel=0.15)


def test_a_joint_that_rests_has_no_level():
    assert not [name for name in resistance_levels(recorded(), OPTIONS) if name.endswith(" c")]


@settings(max_examples=10, deadline=None)
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_levels_follow_the_units_of_effort_and_way(effort, way):
    plain = recorded()
    scaled = replace(plain, positions=way * plain.positions, efforts=effort * plain.efforts)
    before, after = (resistance_levels(one, OPTIONS) for one in (plain, scaled))
    assert after["friction of b"] == pytest.approx(effort * before["friction of b"])
    assert after["damping of b"] == pytest.approx(effort / way * before["damping of b"])


def test_noise_of_encoders_is_no_speed():
    clean, noisy = (resistance_levels(recorded(noise=n), OPTIONS) for n in (0.0, 0.002))
    # From one record to the next the noise alone would be 0.6 rad/s, a quarter of it all.
    assert noisy["damping of a"] == pytest.approx(clean["damping of a"], rel=0.01)
    frequent = CuttingOptions(resisting=0.05, spacing=0.005)
    assert (
        resistance_levels(recorded(noise=0.002), frequent)["damping of a"]
        < 0.97 * (clean["damping of a"])
    )
