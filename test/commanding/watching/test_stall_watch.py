"""A joint that does not advance is reported soon; one that lags or is slow is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter

from autourdf_ros.commanding.latency import SLACK, Latency
from autourdf_ros.commanding.trajectory import through
from autourdf_ros.commanding.watching.following import tolerances
from autourdf_ros.commanding.watching.stall_watch import StallWatch
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {"a": JointLimits(-2, 2, 2.0, 8.0), "b": JointLimits(-2, 2, 2.0, 8.0)}
LAG = 0.5
FINE = 0.001  # s, of the simulated drive
noises = st.sampled_from([0.0, 1e-4, 1e-3])
rates = st.sampled_from([15.0, 20.0, 50.0, 100.0, 500.0])
speeds = st.floats(0.08, 1.0)
targets = st.lists(st.tuples(*[st.floats(-0.3, 0.3)] * 2), min_size=1, max_size=3)


def way(targets, speed=0.25):
    points = [(0.0, 0.0), *targets]
    return through([dict(zip("ab", point, strict=True)) for point in points], LIMITS, speed)


def driven(trajectory, delay=0.0, constant=0.0, halt=np.inf, extra=1.0):
    """Positions (T, 2) at every FINE second of drives with a delay and a first-order lag.

    halt: second from which on joint b stands.
    """
    times = np.arange(0, trajectory.duration + extra, FINE)
    gone = trajectory.at(times - delay) - trajectory.positions[0]
    share = FINE / (constant + FINE)
    positions = trajectory.positions[0] + lfilter([share], [1.0, share - 1.0], gone, axis=0)
    stands = max(int(halt / FINE), 0) if np.isfinite(halt) else len(times)
    positions[stands:, 1] = positions[min(stands, len(times) - 1), 1]
    return positions


def watching(trajectory, latency, noise=1e-4):
    accepted = tolerances(trajectory, LIMITS, 0.05)
    return StallWatch(trajectory, accepted, latency, dict.fromkeys("ab", noise))


def stalled(
    trajectory, positions, latency, rate=100.0, noise=1e-4, seed=0, transport=0.003, offset=0.0
):
    """Return the first stall and its time, from readings at a rate, checked every 10 ms.

    transport: seconds until a reading is read. offset: of the stamps' clock before the node's.
    """
    rng = np.random.default_rng(seed)
    watch = watching(trajectory, latency, noise)
    phase = rng.uniform(0, 1 / rate)
    readings = positions + rng.normal(0, noise, positions.shape) if noise else positions
    for time in np.arange(0.01, len(positions) * FINE, 0.01):
        stamp = max(np.floor((time - transport - phase) * rate) / rate + phase, -0.01)
        row = max(int(stamp / FINE), 0)
        measured = dict(zip("ab", readings[row].tolist(), strict=True))
        deviation = watch.check(time, measured, time - stamp + offset)
        if deviation is not None:
            return deviation, time
    return None, None


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    targets,
    speeds,
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    noises,
    rates,
    st.floats(-100.0, 100.0),
    st.integers(0, 2**31),
)
def test_drives_that_lag_are_never_accused(
    targets, speed, delay_share, constant_share, noise, rate, offset, seed
):
    delay = delay_share * 0.9 * LAG  # the rest goes for the readings
    constant = constant_share * (LAG - delay)
    latency = Latency(LAG)
    for number in range(2):  # the second time the latency is known
        trajectory = way(targets, speed)
        positions = driven(trajectory, delay, constant)
        found = stalled(trajectory, positions, latency, rate, noise, seed + number, offset=offset)
        assert found == (None, None)


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.floats(0.0, 0.25), st.floats(0.0, 0.2), rates, st.integers(0, 2**31))
def test_a_joint_that_stops_on_its_way_is_reported_within_the_time_that_a_stop_may_take(
    delay, constant, rate, seed
):
    trajectory = way([(0.8, -0.6)], speed=0.25)
    latency = Latency(LAG)
    assert stalled(trajectory, driven(trajectory, delay, constant), latency, rate) == (None, None)
    halt = 0.7 * trajectory.duration
    stuck = driven(trajectory, delay, constant, halt)
    deviation, time = stalled(trajectory, stuck, latency, rate, seed=seed)
    assert deviation.joint == "b" and not deviation.refused
    assert halt < time < halt + 0.2 + 1 / rate


@pytest.mark.parametrize("halt", [0.0, 0.3, 0.6, 0.9])
def test_a_joint_that_stops_is_reported_even_if_no_latency_is_known(halt):
    trajectory = way([(0.2, -0.2)])
    deviation, time = stalled(trajectory, driven(trajectory, 0.05, halt=halt), Latency(LAG))
    # 0.03 rad of its way take 0.5 s.
    assert deviation.joint == "b" and time < max(LAG + 0.5, halt + 0.2) + 0.15


def test_a_joint_that_does_not_begin_is_reported_once_its_latency_is_over():
    trajectory = way([(0.2, -0.2)])
    latency = Latency(LAG)
    stalled(trajectory, driven(trajectory, 0.05), latency)
    stuck = driven(trajectory, 0.05, halt=0.0)
    deviation, time = stalled(trajectory, stuck, latency)
    assert deviation.joint == "b" and not deviation.refused
    assert time < 0.5 + 0.05 + SLACK * LAG + 0.1
    deviation, _ = stalled(trajectory, np.zeros_like(stuck), latency)
    assert deviation.refused


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(st.floats(0.0, 0.9 * LAG), st.floats(0.0, 0.15), rates, st.integers(0, 2**31))
def test_a_command_that_is_late_for_once_is_no_stall(late, more, rate, seed):
    trajectory, latency = way([(0.2, -0.2)]), Latency(LAG)
    stalled(trajectory, driven(trajectory, 0.02), latency)
    positions = driven(trajectory, late)
    positions[:, 1] = driven(trajectory, min(late + more, 0.9 * LAG))[:, 1]
    assert stalled(trajectory, positions, latency, rate, seed=seed) == (None, None)


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(st.floats(0.05, 0.1), noises, rates, st.integers(0, 2**31))
def test_a_slow_joint_that_stops_is_reported_as_soon_as_it_can_be(speed, noise, rate, seed):
    trajectory, latency = way([(0.2, -0.2)], speed), Latency(LAG)
    stalled(trajectory, driven(trajectory, 0.05), latency)
    halt = 0.5 * trajectory.duration
    stuck = driven(trajectory, 0.05, halt=halt)
    deviation, time = stalled(trajectory, stuck, latency, rate, noise, seed)
    # The travel that can be judged takes so long, and windows double.
    least, fastest = max(0.03, 20 * noise), 15 / 8 * 0.2 / trajectory.duration
    assert deviation.joint == "b" and time < halt + 2.5 * max(0.15, 1.4 * least / fastest) + 0.1


def test_silence_is_no_stall():
    trajectory = way([(0.5, 0.5)])
    watch = watching(trajectory, Latency(LAG))
    for time in np.arange(0.01, 1.0, 0.01):
        stamp = min(time, 0.3)
        measured = dict(zip("ab", trajectory.at(stamp).tolist(), strict=True))
        assert watch.check(time, measured, time - stamp) is None
