import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.data.extraction.still_moments import (
    StillMoment,
    find_still,
    gather,
    never_still,
    sequence_starts,
    window_for,
)
from autourdf_ros.errors import InputError


def ramps(stops, rate, noise=0.0):
    """Readings of a joint that goes to each of `stops` within 1 s and rests there for 1 s."""
    times = np.arange(0, 2 * len(stops) - 1, 1 / rate)
    knots = [time for stop in range(len(stops)) for time in (2 * stop, 2 * stop + 1)]
    values = np.interp(times, knots, np.repeat(stops, 2))
    values += noise * np.random.default_rng(0).normal(size=len(times))
    return [(1.7e9 + time, {"pan": value}) for time, value in zip(times, values, strict=True)]


@pytest.mark.slow
@given(
    st.lists(st.floats(0.1, 1.0), min_size=1, max_size=6),
    st.lists(st.sampled_from([-1, 1]), min_size=6, max_size=6),
    st.sampled_from([15, 50, 200]),
    st.randoms(use_true_random=False),
)
def test_finds_every_stop(steps, signs, rate, random):
    stops = np.cumsum([0.0, *(step * sign for step, sign in zip(steps, signs, strict=False))])
    messages = ramps(stops, rate, noise=1e-4)
    random.shuffle(messages)
    readings = gather(messages)
    moments = find_still(readings, window_for(readings), 0.02)
    assert len(moments) == len(stops)
    for number, (moment, stop) in enumerate(zip(moments, stops, strict=True)):
        assert moment.joints["pan"] == pytest.approx(stop, abs=0.01)
        rest = 1.7e9 + 2 * number
        assert rest - 0.15 < moment.start < moment.end < rest + 1.15


def test_readings_come_in_parts():
    arm, hand = [(t / 10, {"arm": float(t)}) for t in range(4)], [(0.15, {"hand": 7.0})]
    readings = gather([*arm, *hand, (0.2, {"hand": np.nan, "velocity_only": np.inf})])
    assert readings.joints == ("arm", "hand")
    np.testing.assert_array_equal(readings.stamps, [0.15, 0.2, 0.3])
    np.testing.assert_array_equal(readings.positions, [[1, 7], [2, 7], [3, 7]])
    with pytest.raises(InputError, match="no finite position"):
        gather([(0.0, {"arm": np.nan})])
    with pytest.raises(InputError, match="no finite position"):
        gather([])


def test_the_joint_that_never_rests_is_named():
    messages = [(t / 50, {"fan": t / 10, "arm": 1.0}) for t in range(100)]
    readings = gather(messages)
    assert find_still(readings, 0.25, 0.02) == []
    assert never_still(readings, 0.25, 0.02) == ["fan"]


@pytest.mark.parametrize(
    ("places", "starts"),
    [
        ([0, 1, 2, 0, 1, 2], {0, 3}),
        ([0, 1, 2, 3, 0], {0}),
        ([0, 1, 0, 1, 0, 1], {0}),
        ([0, 1, 2, 3], {0}),
    ],
)
def test_sequences_begin_at_the_start(places, starts):
    moments = [StillMoment(i, i + 1, {"pan": 0.3 * place}) for i, place in enumerate(places)]
    assert sequence_starts(moments) == starts


def test_without_readings_there_is_one_sequence():
    assert sequence_starts([StillMoment(i, i + 1, {}) for i in range(9)]) == {0}
