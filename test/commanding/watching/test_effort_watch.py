"""Efforts above their thresholds stop the robot, and unknown ones do not let it start."""

import math

from autourdf_ros.commanding.watching.effort_watch import EffortWatch


def watching(**efforts):
    watch = EffortWatch({"pan": 5.0}, 0.5)
    watch.add(efforts, 10.0)
    return watch


def test_an_effort_within_the_threshold_is_nothing():
    watch = watching(pan=-5.0, tilt=99.0)
    assert watch.missing(10.1) is None and watch.fault(10.1) is None


def test_an_effort_that_was_too_large_for_a_moment_stops_until_it_is_forgotten():
    watch = watching(pan=-5.1)
    watch.add({"pan": 0.0}, 10.1)
    reason = watch.fault(10.1)
    assert reason == "joint pan works with an effort of -5.1; accepted is up to 5 (pan.stop_effort)"
    # It is small now: a human may start again.
    assert watch.missing(10.1) is None
    watch.reset()
    assert watch.fault(10.1) is None


def test_an_effort_that_is_too_large_now_does_not_let_it_start():
    watch = watching(pan=6.0)
    watch.reset()
    assert "joint pan works with an effort of 6" in watch.missing(10.1)


def test_efforts_that_are_absent_not_finite_or_old_are_named():
    for watch in (watching(tilt=1.0), watching(pan=math.nan), watching(pan=math.inf)):
        assert "no effort of pan is read" in watch.missing(10.1)
        assert "pan.stop_effort" in watch.fault(10.1)
    watch = watching(pan=1.0)
    watch.add({"pan": math.nan}, 11.0)
    assert "no effort of pan is read" in watch.fault(11.0)


def test_efforts_that_come_rarely_do_not_let_it_start():
    watch = EffortWatch({"pan": 5.0})
    for number in range(1000):
        watch.add({"pan": 1.0 if number % 400 == 0 else math.nan}, 10 + 0.01 * number)
        assert watch.missing(10 + 0.01 * number) is not None
    for number in range(10):
        watch.add({"pan": 1.0}, 20 + 0.01 * number)
    assert watch.missing(20.1) is None


def test_without_thresholds_efforts_are_not_needed():
    watch = EffortWatch({})
    watch.add({"pan": 1e9}, 1.0)
    assert watch.missing(9.0) is None and watch.fault(9.0) is None
