"""What the frames do not tell of the axes is named."""

import numpy as np
import pytest

from autourdf_ros.kinematics.weak_directions import (
    LARGEST_SHIFT,
    LARGEST_TURN,
    UNKNOWN,
    line_covariance,
    weak_directions,
)

NOISE = 1e-3
BOTH = np.array([True, True])


def information(*changes):
    """Of two joints whose lines are known very well but for changes (8,), of size 0.2 each."""
    blind = np.array(changes, float).reshape(-1, 8)
    blind /= np.linalg.norm(blind, axis=1, keepdims=True)
    return 1e6 * NOISE**2 * (np.eye(8) - (1 - 25e-6) * blind.T @ blind)


def test_axes_that_are_known_have_none():
    assert weak_directions(information(), BOTH, NOISE).turns.shape == (0, 2)


def test_two_axes_that_turn_together_are_named_together():
    found = weak_directions(information([3, 0, 0, 0, 0, 4, 0, 0]), BOTH, NOISE)
    np.testing.assert_allclose(found.turns, [[0.12, 0.16]], atol=1e-3)
    np.testing.assert_allclose(found.shifts, 0)


def test_a_line_that_slides_is_named_alone():
    found = weak_directions(information([0, 0, 0, 0, 0, 0, 0, 1]), BOTH, NOISE)
    np.testing.assert_allclose(found.turns, 0)
    np.testing.assert_allclose(found.shifts, [[0, 0.2]], atol=1e-3)


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize(("place", "bound"), [(1, LARGEST_TURN), (3, LARGEST_SHIFT)])
def test_the_bounds_are_standard_deviations(factor, place, bound):
    known = np.full(8, 1e8)
    known[place] = NOISE**2 / (factor * bound) ** 2
    found = weak_directions(np.diag(known), BOTH, NOISE)
    assert len(found.turns) == (factor > 1)


def test_what_nothing_tells_is_unknown_and_not_known_perfectly():
    known = np.diag([1.0, 1, 1, 1, 0, 1, 1, 1])
    covariance = line_covariance(known, BOTH, NOISE)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance))[[0, 4]], [NOISE, UNKNOWN])
    assert weak_directions(known, BOTH, NOISE).turns[0, 1] == pytest.approx(UNKNOWN)


def test_a_prismatic_joint_has_no_line_to_shift():
    known = np.diag([1.0, 1, 0, 0, 1, 1, 1, 1])
    slides = np.array([False, True])
    assert len(weak_directions(known, slides, NOISE).turns) == 0
    covariance = line_covariance(known, slides, NOISE)
    assert np.isnan(covariance[2:4]).all() and np.isfinite(covariance[4:, 4:]).all()
