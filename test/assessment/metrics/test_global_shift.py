import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autourdf_ros.assessment.metrics.global_shift import best_global_shift

POINTS = np.array([[0, 0, 0], [0.3, 0, 0.2], [0.5, 0.1, 0.2], [0.9, 0, 0.4], [1, 0.5, 0]])
AXES = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0.6, 0.8]])


@given(arrays(np.float64, 3, elements=st.floats(-0.05, 0.05)))
def test_a_shifted_model_is_shifted_back(shift):
    found = best_global_shift(POINTS, POINTS - shift + 0.3 * AXES, AXES)
    np.testing.assert_allclose(found, shift, atol=1e-6)


def test_one_wrong_joint_does_not_move_the_others():
    lines = POINTS - [0.002, -0.001, 0.003]
    lines[4] += [0.04, 0, 0]
    found = best_global_shift(POINTS, lines, AXES)
    np.testing.assert_allclose(found, [0.002, -0.001, 0.003], atol=1e-5)


def test_parallel_axes_leave_the_shift_along_them_at_zero():
    axes = np.tile([0.0, 1, 0], (4, 1))
    found = best_global_shift(POINTS[:4], POINTS[:4] - [0.002, 0.7, 0.001], axes)
    np.testing.assert_allclose(found, [0.002, 0, 0.001], atol=1e-7)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_joints_give_no_shift(count):
    assert best_global_shift(POINTS[:count], POINTS[:count], AXES[:count]) is None


def test_nearly_parallel_axes_do_not_make_a_large_shift():
    rng = np.random.default_rng(0)
    points = rng.uniform(-0.2, 0.2, (8, 3))
    axes = np.array([0, 1, 0]) + rng.normal(0, 0.01, (8, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    found = best_global_shift(points, points + rng.normal(0, 0.001, (8, 3)), axes)
    assert np.linalg.norm(found) < 0.002
