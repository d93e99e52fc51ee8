"""Paths between configurations that go around what is in the way."""

from itertools import pairwise

import numpy as np

from autourdf_ros.commanding.screening.free_path import PathOptions, free_path

SQUARE = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
ENDS = np.array([-0.8, 0.0]), np.array([0.8, 0.0])


def wall(gap):
    """Lines cross x = 0 only in |y| > 1 - gap."""

    def free(start, end):
        line = start + np.linspace(0, 1, 201)[:, None] * (end - start)
        return not ((np.abs(line[:, 0]) < 0.05) & (np.abs(line[:, 1]) < 1 - gap)).any()

    return free


def test_a_free_line_is_the_path():
    path = free_path(lambda *_: True, ENDS, SQUARE)
    assert np.array_equal(path, ENDS)


def test_a_path_goes_around_a_wall_and_is_free_everywhere():
    free = wall(0.3)
    path = free_path(free, ENDS, SQUARE)
    assert np.array_equal(path[[0, -1]], ENDS)
    assert all(free(one, other) for one, other in pairwise(path))
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    assert len(path) <= 6 and length < 3.2, "detours are shortened"
    assert np.array_equal(free_path(free, ENDS, SQUARE), path), "a seed gives the same path"


def test_no_path_is_made_up():
    few = PathOptions(tries=60)
    assert free_path(wall(0.0), ENDS, SQUARE, few) is None
    assert free_path(lambda start, end: (end < 0.5).all(), ENDS, SQUARE, few) is None
