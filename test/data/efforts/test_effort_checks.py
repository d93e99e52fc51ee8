"""Efforts that cannot be used are named."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.data.efforts.effort_checks import check_efforts
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.errors import InputError

TIMES = np.arange(400) / 100
ANGLES = np.column_stack([np.sin(TIMES), np.cos(2 * TIMES)])
RATES = np.column_stack([np.cos(TIMES), -2 * np.sin(2 * TIMES)])
GOOD = EffortRecording(("a", "b"), TIMES, ANGLES, 3 * ANGLES + 0.1, RATES)
LIMIT = np.full(2, 3.0)


def check(recording):
    return check_efforts(recording, -LIMIT, LIMIT, np.full(2, 50.0))


def test_good_efforts_pass():
    assert check(GOOD).silent == ()


def test_a_joint_whose_effort_never_changes_is_silent():
    efforts = GOOD.efforts * [1, 0]
    found = check(replace(GOOD, efforts=efforts))
    assert found.silent == ("b",)
    assert "efforts of b never change" in found.warnings[0]


def clipped(efforts):
    return np.clip(efforts, -2.0, 2.0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"efforts": np.zeros((400, 2))}, "no effort ever changes"),
        ({"efforts": clipped(GOOD.efforts)}, "effort of 'a' stays at 2 in .* saturated"),
        ({"positions": np.zeros((400, 2)), "velocities": None}, "no joint moves"),
        ({"positions": np.rad2deg(ANGLES)}, "'a' goes from .* degrees"),
        ({"velocities": np.rad2deg(RATES)}, "velocities of 'a' are 57"),
        ({"times": TIMES * 1000}, "velocities of 'a' are 999"),
        ({"times": TIMES * 1000, "velocities": None}, "accepted are times in s .*ms"),
    ],
)
def test_unusable_efforts_are_refused_by_joint_and_reason(changes, reason):
    with pytest.raises(InputError, match=reason):
        check(replace(GOOD, **changes))


def test_a_short_recording_is_refused():
    short = EffortRecording(("a",), TIMES[:9], ANGLES[:9, :1], ANGLES[:9, :1])
    with pytest.raises(InputError, match="9 records; accepted are 100 or more"):
        check_efforts(short, -LIMIT[:1], LIMIT[:1], LIMIT[:1])


def test_coarse_efforts_are_not_saturated():
    assert check(replace(GOOD, efforts=np.round(GOOD.efforts))).silent == ()
