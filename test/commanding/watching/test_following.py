import numpy as np
import pytest

from autourdf_ros.commanding.trajectory import through
from autourdf_ros.commanding.watching.following import FollowingMonitor
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {
    "a": JointLimits(-2, 2, 0.5, 2),
    "b": JointLimits(-2, 2, 0.5, 2),
    "finger": JointLimits(0, 0.04, 0.1, 1),
}
START = {"a": 0.0, "b": 1.0, "finger": 0.01}
GOAL = {"a": 0.1, "b": 0.9, "finger": 0.016}
MOVE = through([START, GOAL], LIMITS)


def run(measure, tolerance=0.05, lag=0.2, trajectory=MOVE):
    """First deviation and its time, of a robot whose joints are at `measure(time, commanded)`."""
    monitor = FollowingMonitor(trajectory, LIMITS, tolerance, lag)
    for time in np.arange(0, trajectory.duration + 2, 0.01):
        commanded = dict(zip(trajectory.joints, trajectory.at(time), strict=True))
        deviation = monitor.check(time, measure(time, commanded))
        if deviation is not None:
            return deviation, time
    return None, monitor.arrived(measure(time, commanded))


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.18])
def test_a_robot_that_follows_a_little_late_is_fine(delay):
    rng = np.random.default_rng(0)

    def late(time, _):
        values = MOVE.at(time - delay) + rng.normal(0, 1e-4, 3)
        return dict(zip(MOVE.joints, values, strict=True))

    assert run(late) == (None, True)


@pytest.mark.parametrize("stuck", ["a", "b", "finger"])
def test_one_joint_that_is_stuck_is_named(stuck):
    deviation, time = run(lambda _, commanded: commanded | {stuck: START[stuck]})
    assert deviation.joint == stuck and not deviation.refused
    assert deviation.measured == START[stuck]
    assert time < MOVE.duration + 0.5


def test_a_robot_that_stays_as_a_whole_has_refused():
    deviation, time = run(lambda *_: START)
    assert deviation.refused and time < MOVE.duration + 0.5


def test_a_joint_that_stops_half_way_does_not_follow():
    deviation, _ = run(lambda _, commanded: commanded | {"a": min(commanded["a"], 0.05)})
    assert deviation.joint == "a" and not deviation.refused


def test_a_joint_that_is_pushed_though_it_should_stay_is_noticed():
    trajectory = through([START, GOAL | {"b": START["b"]}], LIMITS)
    deviation, _ = run(lambda _, c: c | {"b": 1.2}, trajectory=trajectory)
    assert deviation.joint == "b" and not deviation.refused


def test_a_single_bad_reading_is_no_fault():
    def glitch(time, commanded):
        return commanded | ({"a": 2.0} if abs(time - 0.3) < 0.005 else {})

    assert run(glitch) == (None, True)


def test_an_old_reading_is_no_deviation_but_not_for_ever():
    def first_deviation(age):
        monitor = FollowingMonitor(MOVE, LIMITS, tolerance=0.01, lag=0.1)
        for time in np.arange(0, MOVE.duration, 0.01):
            then = dict(zip(MOVE.joints, MOVE.at(time - age), strict=True))
            deviation = monitor.check(time, then, age)
            if deviation is not None:
                return deviation
        return None

    assert first_deviation(0.18) is None
    assert first_deviation(0.6) is not None
