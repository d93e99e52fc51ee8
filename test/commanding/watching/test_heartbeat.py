"""Silence is detected by how often messages came before, never later than a fixed bound."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.commanding.watching import machine_load, reading_watch
from autourdf_ros.commanding.watching.heartbeat import LONGEST, MARGIN, Heartbeat
from autourdf_ros.commanding.watching.reading_watch import OF_FORCES, ReadingWatch, Silence


@pytest.fixture(scope="module", autouse=True)
def idle_machine():
    """What else this machine does is not what these tests are about."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_watch, "busyness", lambda: 1.0)
        yield patch


def beaten(gaps, timeout=0.0):
    heart = Heartbeat(timeout)
    times = np.cumsum([100.0, *gaps])
    for time in times:
        heart.beat(time)
    return heart, times[-1]


@given(st.floats(0.001, 2.0), st.floats(0.0, 0.3), st.integers(5, 200), st.integers(0, 2**31))
def test_silence_counts_a_margin_after_the_period(period, jitter, count, seed):
    gaps = period * (1 + np.random.default_rng(seed).uniform(-jitter, jitter, count))
    heart, last = beaten(gaps)
    assert heart.known
    assert not heart.silent(last + period * (1 + jitter) + 0.3 * MARGIN)
    assert heart.silent(last + period * (1 + 3 * jitter) + 1.01 * MARGIN)


@given(st.lists(st.floats(0.001, 100.0), min_size=5, max_size=80))
def test_no_silence_is_accepted_for_ever(gaps):
    heart, last = beaten(gaps)
    assert heart.silent(last + LONGEST + 0.01)


def test_a_gap_of_long_ago_is_forgotten():
    """After ten seconds: a busy machine delays by bursts."""
    heart, last = beaten([0.01] * 20 + [1.0] + [0.01] * 800)
    assert not heart.silent(last + 1.0)
    for number in range(1, 400):
        heart.beat(last + 0.01 * number)
    assert heart.silent(last + 3.99 + MARGIN + 0.02)


def test_an_outage_is_not_taken_for_the_period():
    heart, _ = beaten([0.01] * 20 + [6.0])
    assert not heart.known
    heart, last = beaten([0.01] * 20 + [6.0] + [0.01] * 5)
    assert heart.known and heart.silent(last + 0.2)


@given(st.lists(st.floats(0.001, 100.0), min_size=1, max_size=80))
def test_a_joint_is_never_unread_for_longer_than_its_bound(gaps):
    """However its readings come to be late, as when each gap is twice the one before."""
    watch, times = ReadingWatch(["pan"]), np.cumsum([100.0, *gaps])
    for time in times:
        watch.add(["pan"], time)
    assert [silence.joint for silence in watch.silent(times[-1] + 1.51)] == ["pan"]


def test_few_messages_leave_the_period_unknown():
    heart, last = beaten([0.01] * 4)
    assert not heart.known and heart.limit == LONGEST and not heart.silent(last + 1.0)
    heart.beat(last + 0.01)
    assert heart.known and heart.silent(last + 1.0)


@given(st.lists(st.floats(0.001, 100.0), max_size=20), st.floats(0.02, 60.0))
def test_a_bound_that_is_given_is_fixed(gaps, timeout):
    heart, last = beaten(gaps, timeout)
    assert heart.known and heart.limit == timeout
    assert not heart.silent(last + 0.99 * timeout) and heart.silent(last + 1.01 * timeout)


def test_what_was_never_heard_is_silent():
    assert Heartbeat().silent(0.0) and Heartbeat(0.5).silent(0.0)
    assert Heartbeat().age(3.0) == math.inf and not Heartbeat().known


def test_every_joint_that_falls_silent_is_named_the_longest_silent_first():
    watch = ReadingWatch(["arm", "gripper"], 0.5)
    assert [silence.joint for silence in watch.silent(0.0)] == ["arm", "gripper"]
    watch.add(["arm", "other"], 5.0)
    assert watch.silent(5.1) == [Silence("gripper", math.inf, 0.5)]
    watch.add(["gripper"], 5.2)
    assert [silence.joint for silence in watch.silent(6.0)] == ["arm", "gripper"]
    assert watch.silent(6.0)[1].age == pytest.approx(0.8) and not watch.unknown


def test_each_joint_has_its_own_period():
    watch = ReadingWatch(["arm", "gripper"])
    for number in range(100):
        watch.add(["arm"], 0.01 * number)
        if number % 20 == 0:
            watch.add(["gripper"], 0.01 * number)
    assert watch.unknown == ["gripper"]
    watch.add(["gripper"], 1.0)
    assert not watch.unknown
    assert [silence.joint for silence in watch.silent(1.31)] == ["arm"]


@given(st.floats(0.001, 0.05), st.floats(0.0, 0.29))
def test_one_delay_of_a_busy_machine_is_no_silence_of_a_joint(period, delay):
    watch, times = ReadingWatch(["pan"]), np.arange(100) * period
    for time in times:
        watch.add(["pan"], time)
    assert watch.silent(times[-1] + delay) == []
    assert watch.silent(times[-1] + 0.31 + 2 * period)
    forces = ReadingWatch(["pan"], longest=OF_FORCES, shortest=0.0)
    for time in times:
        forces.add(["pan"], time)
    assert forces.silent(times[-1] + MARGIN + 1.01 * period)


@pytest.mark.parametrize(
    ("shared", "limit"),
    [
        (1.0, reading_watch.SHORTEST),
        (3.0, 3 * reading_watch.SHORTEST),
        (50.0, reading_watch.LONGEST),
    ],
)
def test_a_busy_machine_may_be_later_but_never_than_the_bound(monkeypatch, shared, limit):
    monkeypatch.setattr(reading_watch, "busyness", lambda: shared)
    watch = ReadingWatch(["pan"])
    for number in range(100):
        watch.add(["pan"], 0.01 * number)
    (silence,) = watch.silent(9.0)
    assert silence.limit == pytest.approx(limit)
    # Where forces are commanded, no load is an excuse.
    forces = ReadingWatch(["pan"], longest=OF_FORCES, shortest=0.0)
    for number in range(100):
        forces.add(["pan"], 0.01 * number)
    assert forces.silent(0.99 + MARGIN + 0.02)


@pytest.mark.parametrize(("load", "cores", "shared"), [(0.5, 2, 1.0), (2.0, 2, 1.0), (9.0, 2, 4.5)])
def test_a_machine_is_busy_where_processes_share_cores(monkeypatch, load, cores, shared):
    monkeypatch.setattr(machine_load.os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(machine_load.os, "cpu_count", lambda: cores)
    assert machine_load.busyness() == shared
