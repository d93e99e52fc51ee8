"""What is certain at once, and what has to last first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.monitoring.calibration.lasting_alarm import LastingAlarm
from autourdf_ros.monitoring.monitor_options import MonitorOptions

OPTIONS = MonitorOptions(window=5.0, period=0.5, repeats=2)
LEVEL = 20.0


def judged(significances, period=0.5):
    """Whether it is certain, and since when, after each of these judgements."""
    alarm, found = LastingAlarm(OPTIONS), []
    for number, significance in enumerate(significances):
        alarm.judge(number * period, significance, LEVEL)
        found.append((alarm.certain, alarm.since))
    return found


def test_what_stays_below_the_level_is_nothing():
    assert judged([0.0, 19.9, 5.0]) == [(False, None)] * 3


def test_what_is_large_is_certain_once_two_judgements_show_it():
    assert [certain for certain, _ in judged([7000.0, 7000.0])] == [False, True]
    assert not any(certain for certain, _ in judged([7000.0, 5.0, 7000.0]))


def test_what_is_small_is_certain_once_it_has_lasted_a_window():
    found = judged([LEVEL] * 12)
    assert [certain for certain, _ in found] == [False] * 9 + [True] * 3
    assert all(since == 0.0 for _, since in found)


@given(st.floats(1.0, 1e4), st.floats(0.1, 4.0))
def test_the_larger_it_is_the_sooner_it_is_certain_whatever_the_rate(times, period):
    found = [certain for certain, _ in judged([times * LEVEL] * 60, period)]
    first = found.index(True)
    # The first judgement counts for the period between two of them.
    sums = times * (OPTIONS.period + period * np.arange(60))
    assert first >= 1 and sums[first] >= OPTIONS.window * (1 - 1e-5)
    assert first == 1 or sums[first - 1] < OPTIONS.window


def test_an_error_of_the_model_in_one_configuration_is_no_change():
    """As of a ur5_gripper's wrist: above its level for 1.2 s, 30 of 20 at most."""
    seen = [27.6, 30.4, 22.9]
    assert not any(certain for certain, _ in judged([*seen, 14.0], period=0.6))
    again = judged([*seen, 14.0, *seen], period=0.6)
    assert not any(certain for certain, _ in again)
    assert again[-1][1] == pytest.approx(4 * 0.6)


def test_what_is_certain_stays_so_while_it_is_above_the_level():
    found = judged([170.0, 170.0, 21.0, 21.0, 19.0, 21.0])
    assert [certain for certain, _ in found] == [False, True, True, True, False, False]
