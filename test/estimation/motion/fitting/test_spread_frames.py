import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import far_apart, spread_frames, travels
from autourdf_ros.estimation.motion.fitting.tracking import Motion


def moved(values, good, used=None):
    """A motion of one joint; every frame scores the more, the later it is."""
    values = np.asarray(values, dtype=float)[:, None]
    base = np.tile(np.eye(4), (len(values), 1, 1))
    good = np.asarray(good, dtype=bool)
    used = good if used is None else np.asarray(used, dtype=bool)
    return Motion(States(values, base), np.arange(len(values), dtype=float), used, good)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12), st.integers(1, 12))
def test_the_farthest_comes_first_and_none_twice(values, count):
    chosen = far_apart(np.array(values)[:, None], count)
    assert len(chosen) == len(set(chosen)) == min(count, len({*values, 0.0}) - 1 or 1)
    assert abs(values[chosen[0]]) == max(map(abs, values))


def test_inlier_frames_at_the_ends_are_chosen_before_the_middle():
    motion = moved([0, 1, 0.1, -1, 5], [1, 1, 1, 1, 0])
    assert spread_frames(motion, motion.states.values, 2).tolist() == [1, 3]


def test_where_few_are_good_the_best_of_the_inliers_are_taken():
    motion = moved([0, 1, 2, 3], [1, 1, 0, 0], used=[1, 1, 1, 0])
    assert spread_frames(motion, motion.states.values, 3).tolist() == [1, 2]


def test_motors_count_whatever_their_units():
    motion = moved([0, 1], [1, 1])
    readings = np.array([[0.0, 0], [200, 0]])
    np.testing.assert_allclose(travels(motion, readings), [[0, 0, 0], [1, 1, 0]])
    assert travels(motion, None) is motion.states.values
