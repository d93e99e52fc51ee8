import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.joint_history import JointHistory


def filled(motion, seconds=1.0, noise=1e-4, rate=100.0):
    rng = np.random.default_rng(0)
    history = JointHistory(("a", "b"))
    for stamp in np.arange(0, seconds, 1 / rate):
        a, b = np.array(motion(stamp)) + rng.normal(0, noise, 2)
        history.add(stamp, {"a": a, "b": b})
    return history


@settings(deadline=None)
@given(noise=st.floats(0, 5e-4))
def test_a_noisy_robot_at_rest_stands_still(noise):
    assert filled(lambda t: (0.3, -1.0), noise=noise).still(0.5, 0.95, 0.02)


@pytest.mark.parametrize(
    "motion",
    [
        lambda t: (0.3 + 0.05 * t, 0.0),
        lambda t: (0.0, -0.05 * t),
        lambda t: (0.05 * abs(t - 0.75), 0.0),
        lambda t: (0.01 * math.sin(20 * t), 0.0),
        lambda t: (0.0, 0.1 * max(0.0, t - 0.85)),
    ],
)
def test_any_motion_in_the_window_is_seen(motion):
    assert not filled(motion).still(0.5, 0.95, 0.02)


def test_without_readings_across_the_window_nobody_knows():
    history = filled(lambda t: (0.0, 0.0), seconds=0.5)
    assert history.still(0.1, 0.4, 0.02)
    assert not history.still(0.3, 0.9, 0.02)
    assert not history.still(2.0, 3.0, 0.02)
    assert not JointHistory(("a",)).still(0.0, 1.0, 0.02)


def test_mean_and_velocity():
    history = filled(lambda t: (1.0 + 0.5 * t, 2.0), noise=0.0)
    assert history.mean(0.395, 0.605) == pytest.approx({"a": 1.25, "b": 2.0})
    assert history.velocity() == pytest.approx({"a": 0.5, "b": 0.0}, abs=1e-9)
    stamp, positions = history.latest
    assert (stamp, positions["a"]) == pytest.approx((0.99, 1.495))


def test_readings_in_parts_are_put_together():
    history = JointHistory(("arm", "gripper"))
    history.add(1.0, {"arm": 0.1})
    assert history.latest is None
    history.add(1.01, {"gripper": 0.2, "other": 5.0})
    assert history.latest == (1.01, {"arm": 0.1, "gripper": 0.2})
    history.add(1.02, {"arm": 0.3})
    assert history.latest == (1.02, {"arm": 0.3, "gripper": 0.2})


def test_a_position_that_is_not_finite_is_none():
    history = JointHistory(("a", "b"))
    history.add(1.0, {"a": 0.0, "b": math.nan})
    assert history.latest is None


def test_repeated_and_older_readings_do_not_count():
    history = JointHistory(("a",))
    for stamp, value in [(1.0, 0.1), (1.0, 0.2), (0.9, 0.3)]:
        history.add(stamp, {"a": value})
    assert history.latest == (1.0, {"a": 0.1})


def test_a_clock_that_was_set_back_starts_anew():
    history = JointHistory(("a",))
    history.add(100.0, {"a": 0.1})
    history.add(3.0, {"a": 0.2})
    assert history.latest == (3.0, {"a": 0.2})
    assert len(history.between(0.0, 200.0)[0]) == 1


def test_a_clock_that_is_set_back_is_reported_and_earlier_readings_are_forgotten():
    history = filled(lambda t: (0.0, 0.0), seconds=4.0)
    assert history.add(3.5, {"a": 1.0, "b": 1.0}) == 0.0  # late, but of the same clock
    assert history.add(0.5, {"a": 2.0, "b": 2.0}) == pytest.approx(3.49)
    assert history.latest == (0.5, {"a": 2.0, "b": 2.0})
    assert len(history.between(0.0, 9.0)[0]) == 1


def test_the_noise_of_joints_at_rest_is_measured():
    assert JointHistory(("a",)).noise(0.5) == {"a": 0.0}
    assert filled(lambda t: (0.3, -1.0), noise=0.0).noise(0.5) == pytest.approx({"a": 0, "b": 0})
    noise = filled(lambda t: (0.3, -1.0), seconds=5.0, noise=1e-3).noise(4.0)
    assert noise == pytest.approx({"a": 1e-3, "b": 1e-3}, rel=0.2)
