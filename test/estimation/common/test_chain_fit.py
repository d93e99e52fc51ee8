import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.common.chain_fit import _stepped, fit_chain
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist

FRAMES = 10
METRIC = np.tile(np.diag([0.01] * 3 + [1.0] * 3), (FRAMES, 1, 1))


def moved(axes, points, values):
    """Motions (F, 4, 4) of a chain with axes and points (n, 3) at values (F, n)."""
    twists = revolute_twist(np.asarray(axes, dtype=float), np.asarray(points, dtype=float))
    result = np.eye(4)
    for twist, column in zip(twists, values.T, strict=True):
        result = result @ exp_se3(twist * column[:, None])
    return result


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_a_chain_of_two_is_found_from_any_motion(seed):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=3)
    second = np.cross(first, rng.normal(size=3)) + 0.3 * rng.normal(size=3)
    axes = np.array([first, second])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    if abs(axes[0] @ axes[1]) > 0.8:
        return
    points = rng.uniform(-0.3, 0.3, (2, 3))
    motion = moved(axes, points, rng.uniform(-0.8, 0.8, (FRAMES, 2)))
    fit = fit_chain(motion, METRIC, 2)
    assert fit.costs.sum() < 1e-5
    found = np.eye(4)
    for twist, column in zip(fit.twists, fit.values.T, strict=True):
        found = found @ exp_se3(twist * column[:, None])
    np.testing.assert_allclose(found, motion, atol=0.02)


def test_the_axes_of_a_knuckle_are_found():
    axes, points = [[0, 0, 1], [0, 1, 0]], [[0, 0, 0], [0.05, 0, 0.1]]
    values = np.random.default_rng(1).uniform(-0.7, 0.7, (FRAMES, 2))
    fit = fit_chain(moved(axes, points, values), METRIC, 2)
    np.testing.assert_allclose(np.abs(np.sum(fit.twists[:, :3] * axes, axis=1)), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.abs(fit.values), np.abs(values), atol=1e-5)


def test_a_wrist_needs_three():
    axes, points = np.eye(3), [[0, 0, 0], [0.1, 0.02, 0], [0.2, 0, 0.03]]
    values = np.random.default_rng(2).uniform(-0.7, 0.7, (FRAMES, 3))
    motion = moved(axes, points, values)
    assert fit_chain(motion, METRIC, 3).costs.sum() < 1e-6
    assert fit_chain(motion, METRIC, 2).costs.sum() > 1e-3


@pytest.mark.parametrize("length", [2, 3])
def test_what_stands_still_is_no_error(length):
    fit = fit_chain(np.tile(np.eye(4), (FRAMES, 1, 1)), METRIC, length)
    assert np.isfinite(fit.twists).all()
    np.testing.assert_allclose(fit.costs, 0.0, atol=1e-12)


def test_two_joints_about_one_axis_are_no_crash_however_much_is_seen():
    """Only the sum of their values is known: the matrix of both was inverted."""
    twists = np.tile(revolute_twist(np.array([0, 0, 1.0]), np.zeros(3)), (1, 2, 1))
    values = np.full((1, FRAMES, 2), 0.25)
    motion = exp_se3(0.6 * np.tile(twists[0, 0], (FRAMES, 1)))
    metric = np.tile(1e9 * np.eye(6), (FRAMES, 1, 1))
    _, reached = _stepped(twists, values, motion, metric, np.array([1e-4]))
    np.testing.assert_allclose(reached.sum(axis=-1), 0.6, atol=1e-3)
