"""Rays and distances to a ball are those of the formula; noise and mixed pixels are found."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.symmetry.shape_symmetry import ShapeSymmetryOptions
from autourdf_ros.estimation.video.tracking.pixels.depth_images import axial_noise, without_mixed
from autourdf_ros.estimation.video.tracking.pixels.known_body import known_body
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import (
    Errors,
    first_hit,
    nearest_on_ray,
)
from autourdf_ros.geometry.triangle_mesh import from_trimesh

pytestmark = pytest.mark.slow
RADIUS, PLACE = 0.1, np.array([0.05, -0.02, 1.0])


@pytest.fixture(scope="module")
def ball():
    mesh = from_trimesh(trimesh.creation.icosphere(5, RADIUS))
    pose = np.eye(4)
    pose[:3, 3] = PLACE
    return known_body(VideoShape("ball", mesh), ShapeSymmetryOptions()).at(pose)


@settings(deadline=None, max_examples=60)
@given(x=st.floats(-0.06, 0.16), y=st.floats(-0.13, 0.09))
def test_rays_to_a_ball(ball, x, y):
    along = np.array([x, y, 1.0])
    closest = along @ PLACE / (along @ along)
    apart = np.linalg.norm(closest * along - PLACE) - RADIUS
    least, at = nearest_on_ray(ball, x, y, 2.0, np.inf)
    if apart < 0.02:  # else its nearest place may be off the grid about the ball
        # Deep inside, where no pose needs it, the ray takes longer steps, and the grid (2.4 mm)
        # rounds off the tip that the distance has in the ball's middle.
        assert least == pytest.approx(apart, abs=5e-4 if apart > -RADIUS / 2 else 2e-3)
        assert at == pytest.approx(closest, abs=0.02)
    hit = first_hit(ball, x, y, 2.0)
    if apart < -2e-3:
        half = np.sqrt((RADIUS**2 - (apart + RADIUS) ** 2) / (along @ along))
        assert hit == pytest.approx(closest - half, abs=2e-3)
    if apart > 1e-3:
        assert hit == np.inf


def test_a_ray_that_ends_before_the_ball_does_not_meet_it(ball):
    assert first_hit(ball, 0.05, -0.02, 0.85) == np.inf
    assert nearest_on_ray(ball, 0.05, -0.02, 0.88, np.inf)[0] > 0.01


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 1000), axial=st.floats(3e-4, 5e-3), frames=st.sampled_from([1, 2, 10]))
def test_noise_of_depths_is_measured(seed, axial, frames):
    rng = np.random.default_rng(seed)
    true = np.tile(np.linspace(0.8, 2.0, 80), (frames, 60, 1))
    depth = (true + axial * true**2 * rng.normal(size=true.shape)).astype(np.float32)
    assert axial_noise(depth) == pytest.approx(axial, rel=0.1)


def test_a_pixel_between_near_and_far_is_left_out():
    depth = np.full((20, 20), 2.0, np.float32)
    depth[:, :10] = 1.0
    depth[5, 10] = 1.4
    kept = without_mixed(depth, Errors(1e-3, 0.3, 0.29, 4.0), 200.0)
    assert np.argwhere(np.isnan(kept)).tolist() == [[5, 10]]
