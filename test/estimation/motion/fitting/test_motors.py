import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.motion.fitting.motors import (
    match_motors,
    moving_readings,
    still_motors,
)

RNG = np.random.default_rng(0)
VALUES = np.cumsum(RNG.uniform(-0.1, 0.1, (30, 3)), axis=0)
ERROR = RNG.normal(0, 0.002, VALUES.shape)


def test_finds_sign_offset_and_gear_ratio():
    readings = {
        "forward": VALUES[:, 1] + 0.4,
        "backward": -VALUES[:, 0] - 1.1,
        "geared": 50 * VALUES[:, 2] + 3,
    }
    second, first, third = match_motors(VALUES + ERROR, readings)
    assert (second.name, second.ratio) == ("backward", -1.0)
    assert second.offset == pytest.approx(-1.1, abs=0.003)
    assert (first.name, first.ratio) == ("forward", 1.0)
    assert first.offset == pytest.approx(0.4, abs=0.003)
    assert third.name == "geared"
    assert third.ratio == pytest.approx(50, rel=0.02)
    assert third.offset == pytest.approx(3, abs=0.3)
    assert 0.0005 < first.residual < 0.003


def test_every_motor_turns_one_joint_at_most():
    coupled = np.stack([VALUES[:, 0], VALUES[:, 0] + ERROR[:, 0]], axis=1)
    matches = match_motors(coupled, {"only": VALUES[:, 0]})
    assert [match is None for match in matches] == [False, True]
    matches = match_motors(coupled, {"only": VALUES[:, 0], "other": VALUES[:, 1]})
    assert [match and match.name for match in matches] == ["only", None]


def test_a_joint_that_no_motor_explains_stays_without():
    assert match_motors(VALUES[:, :1], {"other": VALUES[:, 1]}) == [None]


def test_a_few_wild_frames_do_not_matter():
    wild = VALUES[:, :1] + ERROR[:, :1]
    wild[[3, 11, 20]] += 2.0
    match = match_motors(wild, {"pan": -VALUES[:, 0] + 0.2})[0]
    assert match.ratio == -1.0
    assert match.offset == pytest.approx(0.2, abs=0.003)


def test_without_readings_or_with_two_frames_nothing_is_matched():
    assert match_motors(VALUES, {}) == [None] * 3
    assert match_motors(VALUES[:2], {"pan": VALUES[:2, 0]}) == [None] * 3


def test_idle_missing_and_infinite_motors_do_not_count():
    frames = [
        {"moves": 0.1 * i, "idle": 0.7, "hums": 1e-6 * i, "broken": np.nan if i == 1 else i}
        for i in range(4)
    ]
    frames[2]["sometimes"] = 1.0
    found = moving_readings(frames)
    assert list(found) == ["moves"]
    np.testing.assert_allclose(found["moves"], [0, 0.1, 0.2, 0.3])
    assert moving_readings([]) == {}


@given(st.floats(0.1, 30), st.sampled_from([-1, 1]), st.floats(-5, 5))
def test_any_line_through_the_readings_is_found(size, sign, offset):
    match = match_motors(VALUES[:, :1], {"motor": sign * size * VALUES[:, 0] + offset})[0]
    assert match.ratio == pytest.approx(sign * size, rel=0.06)
    assert match.offset == pytest.approx(offset, abs=0.06 * size)


def test_still_motors_are_those_that_are_always_read_and_never_move():
    readings = [
        {"still": 0.3, "moves": 0.1 * i, "lost": np.nan, **({"once": 1.0} if i else {})}
        for i in range(4)
    ]
    assert still_motors(readings) == ["still"]
    assert still_motors([]) == []


def test_a_coupled_joint_follows_the_motor_of_its_sibling_and_others_do_not():
    rng = np.random.default_rng(0)
    opening = rng.uniform(0, 0.04, 12)
    worse = -opening + rng.normal(0, 5e-4, 12)
    values = np.stack([opening, worse, worse, rng.uniform(0, 0.04, 12)], axis=1)
    coupled = np.zeros((4, 4), dtype=bool)
    coupled[0, 1] = coupled[0, 3] = coupled[1, 0] = coupled[3, 0] = True
    readings = {"gripper": opening}
    assert [match is not None for match in match_motors(values, readings)] == [True] + 3 * [False]
    driver, coupled_joint, external_observer, other = match_motors(values, readings, coupled)
    assert driver.ratio == 1 and coupled_joint.ratio == -1 and coupled_joint.name == "gripper"
    assert external_observer is None and other is None


def test_a_joint_that_is_lost_does_not_take_the_motor_of_one_that_follows():
    """A gripper that looks the same turned by half a turn was followed with jumps of these."""
    lower = [-1.18, -1.43, -1.67, -1.67, -1.81, -1.99, -1.99, -2.21, -2.21, -2.21,
             -1.18, -1.18, -1.01, -0.8, -0.8, -0.8, -0.6, -0.6, -0.38, -0.38]  # fmt: skip
    upper = [0.47, 0.26, 0.06, -0.07, -0.07, -0.25, -0.25, -0.13, -0.13, 0.06,
             0.46, 0.6, 0.6, 0.6, 0.75, 0.88, 0.88, 0.88, 1.1, 1.1]  # fmt: skip
    jumps = [0, -1, -1, 0, 0, 1, 2, 2, 2, 2, 0, 0, 0, 0, -1, -2, -3, -4, -4, -4]
    followed = np.array(lower) + 1.18
    lost = np.array(upper) - 0.47 + np.pi * np.array(jumps)
    readings = {"lower": np.array(lower), "upper": np.array(upper)}
    first, second = match_motors(np.stack([followed, lost], axis=1), readings)
    assert first is not None and first.name == "lower" and first.residual < 1e-9
    assert second is None
