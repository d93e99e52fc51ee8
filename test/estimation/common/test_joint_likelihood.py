"""Whether a relative motion is a joint at all, and of which type."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_shapes import random_pose, random_twists

from autourdf_ros.estimation.common.joint_likelihood import weigh_joints
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, inverse, revolute_twist

FRAMES, NOISE, POINTS = 20, 1e-3, 200
SLIDE = np.array([0, 0, 0, 0, 0, 1.0])


def moved(twist, travel, seed=0, error=1.0):
    """Relative motions (F, 1, 4, 4) of links 0.2 across, their metric and noise in the poses.

    error: times the noise that the points have by themselves.
    """
    rng = np.random.default_rng(seed)
    metric = POINTS * np.diag([0.01, 0.01, 0.01, 1, 1, 1]) / 3
    values = rng.uniform(0, travel, FRAMES)
    wrong = rng.normal(size=(FRAMES, 6)) * error * NOISE / np.sqrt(np.diag(metric))
    motion = exp_se3(wrong) @ exp_se3(twist * values[:, None])
    return motion[:, None], np.tile(metric, (FRAMES, 1, 1, 1))


def turning(radius):
    return revolute_twist(np.array([0, 1.0, 0]), np.array([radius, 0, 0]))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("twist", "travel", "turns"), [(turning(0.1), 0.5, True), (SLIDE, 0.05, False)]
)
def test_a_clear_joint_and_its_type_are_sure(twist, travel, turns, seed):
    found = weigh_joints(*moved(twist, travel, seed), NOISE)
    assert found.exists[0] > 0.999
    assert found.revolute[0] > 0.999 if turns else found.revolute[0] < 0.1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("error", [1.0, 6.0])
def test_links_that_do_not_move_have_no_joint(seed, error):
    """Not even where points err together, and by far more than they would one by one."""
    assert weigh_joints(*moved(SLIDE, 0.0, seed, error), NOISE).exists[0] < 0.1


@pytest.mark.parametrize("seed", range(3))
def test_a_little_turn_about_a_far_axis_may_be_a_slide(seed):
    far = weigh_joints(*moved(turning(1.0), 0.002, seed), NOISE)
    near = weigh_joints(*moved(turning(0.25), 0.2, seed), NOISE)
    assert far.exists[0] > 0.999
    assert far.revolute[0] < 0.9
    assert near.revolute[0] > 0.999


def test_a_turn_about_a_far_axis_that_shows_is_found():
    """Its axis is not where the rotations' own noise points."""
    found = weigh_joints(*moved(turning(5.0), 0.1), NOISE)
    assert found.revolute[0] > 0.999
    assert found.costs[0, 1] < 3 * found.observed[0]


def test_an_axis_far_from_the_robot_is_hardly_one_of_its_joints():
    """A slide whose errors a turn about such an axis fits a little better is a slide."""
    motion, metric = moved(turning(6.0), 0.0025, 3)
    assert weigh_joints(motion, metric, NOISE).revolute[0] < 1e-3


def test_errors_that_go_with_the_joint_count_less():
    motion, metric = moved(turning(0.1), 0.5)
    values = np.linspace(0, 0.5, FRAMES)
    wave = 0.01 * np.sin(values[:, None] * 6) * np.array([1.0, -1, 0, 0, 0.1, 0])
    waved = (exp_se3(wave) @ exp_se3(turning(0.1) * values[:, None]))[:, None]
    independent = weigh_joints(motion, metric, NOISE)
    correlated = weigh_joints(waved, metric, NOISE)
    assert correlated.effective[0] < 0.5 * independent.effective[0]
    assert independent.observed[0] == 6 * FRAMES


def test_what_no_surface_shows_is_not_counted():
    motion, metric = moved(SLIDE, 0.05)
    metric[..., 2, :] = metric[..., :, 2] = 0.0
    assert weigh_joints(motion, metric, NOISE).observed[0] == 5 * FRAMES


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 50), turns=st.booleans())
def test_the_frame_does_not_matter(seed, turns):
    motion, metric = moved(turning(0.3) if turns else SLIDE, 0.04, seed, 3.0)
    change = random_pose(seed, 0.3)
    back = adjoint(inverse(change))
    elsewhere = weigh_joints(change @ motion @ inverse(change), back.T @ metric @ back, NOISE)
    here = weigh_joints(motion, metric, NOISE)
    np.testing.assert_allclose(elsewhere.exists, here.exists, atol=0.02)
    # Of a slide's far axis, where the fit ends depends on where it begins.
    np.testing.assert_allclose(elsewhere.revolute, here.revolute, atol=0.2)
    assert (elsewhere.revolute > 0.9) == (here.revolute > 0.9) == turns


def test_links_of_no_points_have_no_joint():
    motion = exp_se3(random_twists(np.random.default_rng(0), 3, 1, size=0.1))
    assert weigh_joints(motion, np.zeros((3, 1, 6, 6)), NOISE).exists[0] < 0.5
