"""What is certain at once, and what has to last first."""

import pytest

from autourdf_ros.monitoring.calibration.lasting_alarm import LastingAlarm
from autourdf_ros.monitoring.monitor_options import MonitorOptions

OPTIONS = MonitorOptions(window=5.0, sudden=3.0, repeats=2)
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
    assert [certain for certain, _ in judged([70.0, 70.0])] == [False, True]
    assert not any(certain for certain, _ in judged([70.0, 30.0, 70.0]))


def test_what_is_small_is_certain_once_two_judgements_without_a_common_observation_show_it():
    found = judged([25.0] * 12)
    assert [certain for certain, _ in found] == [False] * 10 + [True] * 2
    assert all(since == 0.0 for _, since in found)


def test_an_error_of_the_model_in_one_configuration_is_no_change():
    """As of an xarm7's flange: above its level for 4.2 s, 44 of 20 at most."""
    seen = [36.0, 24.0, 31.0, 22.0, 29.0, 32.0, 25.0, 44.0]
    assert not any(certain for certain, _ in judged([*seen, 14.0], period=0.6))
    again = judged([*seen, 14.0, *seen], period=0.6)
    assert not any(certain for certain, _ in again)
    assert again[-1][1] == pytest.approx(9 * 0.6)


def test_what_is_certain_stays_so_while_it_is_above_the_level():
    found = judged([70.0, 70.0, 21.0, 21.0, 19.0, 21.0])
    assert [certain for certain, _ in found] == [False, True, True, True, False, False]
