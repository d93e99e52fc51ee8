import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.extraction.still_clouds import StillClouds, common_moments, moved_share


def scene(offset, rng):
    """A noisy wall, and a box before it that is shifted by `offset` (m) along it."""
    wall = rng.uniform([-1, -1, 0], [1, 1, 0.001], (6000, 3))
    box = rng.uniform([offset - 0.1, -0.1, 0.3], [offset + 0.1, 0.1, 0.5], (1500, 3))
    return np.vstack([wall, box]) + rng.normal(0, 0.002, (7500, 3))


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 99), st.lists(st.sampled_from([-0.15, 0.15, 0.3]), min_size=1, max_size=3))
def test_finds_every_stop_amid_noise(seed, steps):
    """The box rests for 1.5 s, then moves for 0.5 s, and so on; 5 clouds a second."""
    rng = np.random.default_rng(seed)
    stops = np.cumsum([0.0, *steps])
    knots = [time for stop in range(len(stops)) for time in (2 * stop, 2 * stop + 1.5)]
    watched = StillClouds()
    for time in np.arange(0, knots[-1] + 0.01, 0.2):
        watched.add(100 + time, scene(np.interp(time, knots, np.repeat(stops, 2)), rng))
    found = watched.intervals()
    assert len(found) == len(stops)
    for number, (start, end) in enumerate(found):
        assert 99.9 + 2 * number <= start < end <= 101.6 + 2 * number
        assert end - start > 0.8


def test_moved_share_counts_what_moved():
    rng = np.random.default_rng(0)
    assert moved_share(scene(0.0, rng), scene(0.0, rng)) < 0.005
    assert moved_share(scene(0.0, rng), scene(0.6, rng)) == pytest.approx(0.2, abs=0.02)


def test_nothing_is_still_without_enough_clouds():
    watched = StillClouds()
    assert watched.intervals() == []
    watched.add(0.0, np.zeros((0, 3)))
    watched.add(1.0, np.zeros((0, 3)))
    assert watched.intervals() == []


def test_all_cameras_must_agree():
    moments = common_moments([[(0, 2), (4, 6)], [(1, 5)], [(0, 1.5), (4.5, 9)]])
    assert [(moment.start, moment.end) for moment in moments] == [(1, 1.5), (4.5, 5)]
    assert common_moments([[(0, 1)], []]) == []
