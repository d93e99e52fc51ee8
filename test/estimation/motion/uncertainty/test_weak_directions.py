"""What the frames do not show of the axes is named."""

import numpy as np
import pytest
from sampled_shapes import box, cylinder, merged_cloud

from autourdf_ros.estimation.motion.fitting.adjustment import MatchSchedule, adjust
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, BasePrior, States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.uncertainty.weak_directions import (
    LARGEST_SHIFT,
    LARGEST_TURN,
    UNKNOWN,
    line_covariance,
    weak_directions,
)
from autourdf_ros.geometry.rigid_motion import revolute_twist

NOISE = 1e-3
BOTH = np.array([True, True])
COUNTS = np.array([500, 12, 500])  # points of the links: of a shoulder hardly anything is seen


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


def test_what_nothing_determines_is_unknown_and_not_known_perfectly():
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


def seen(values):
    """Changes that are weak after an adjustment to what a shoulder and an arm on it show.

    values: (F, 2) of two parallel joints.
    """
    shapes = [box((0.5, 0.4, 0.1)), cylinder(0.1, 0.2), box((0.5, 0.1, 0.12), (0.25, 0.05, 0.2))]
    shapes[1].apply_translation((0, 0, 0.16))
    points = np.array([[0, 0, 0.1], [0.08, 0, 0.2]])
    twists = revolute_twist(np.tile([0, 0, 1.0], (2, 1)), points)
    model = Articulation(np.array([0, 1]), twists, BOTH, points)
    base = np.tile(np.eye(4), (len(values), 1, 1))
    reference, labels = merged_cloud(shapes, np.tile(np.eye(4), (3, 1, 1)), COUNTS, 0)
    frames = [
        merged_cloud(shapes, pose, COUNTS, i)[0]
        for i, pose in enumerate(body_poses(model, values, base), start=1)
    ]
    adjusted = adjust(
        ArticulatedSurface(model, surface_of(reference, labels), BasePrior(0.0, 0.0), NOISE),
        frames,
        States(values, base),
        MatchSchedule(3 * reference.spacing, np.full(2, reference.spacing)),
    )
    return weak_directions(adjusted.information, BOTH, adjusted.noise)


def test_joints_that_always_moved_together_share_a_weak_direction():
    """Where a link is hardly seen, only the sum of the turns before and after it is, as one."""
    together = np.linspace(0.01, 0.05, 5)[:, None] * np.array([1.0, 1.0])
    apart = np.array([[0.6, -0.2], [-0.4, 0.5], [0.2, 0.7], [-0.7, -0.3], [0.5, 0.1]])
    weak = seen(together)
    assert ((weak.turns > 0) | (weak.shifts > 0)).all(axis=1).any()
    assert len(seen(apart).turns) == 0
