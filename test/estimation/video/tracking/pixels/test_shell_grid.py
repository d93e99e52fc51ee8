import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from trimesh.creation import box

from autourdf_ros.data.video.video_shape import SeenSides, VideoShape
from autourdf_ros.estimation.video.symmetry.shape_symmetry import ShapeSymmetryOptions
from autourdf_ros.estimation.video.tracking.pixels.distance_grid import WALL, shell_grid
from autourdf_ros.estimation.video.tracking.pixels.known_body import known_body
from autourdf_ros.geometry.triangle_mesh import GREY, from_trimesh

WIDTH = 0.004
HALF = 0.05


FLAT = np.eye(3)


def plate(turn=FLAT):
    """A square that a camera saw from its normal's side, turned."""
    steps = np.arange(-HALF, HALF + 1e-9, WIDTH)
    points = np.stack(np.meshgrid(steps, steps, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    return SeenSides(points @ turn.T, np.tile(turn[:, 2], (len(points), 1)), WIDTH)


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10**6))
def test_distance_is_that_from_the_plane_before_and_within_the_wall(seed):
    rng = np.random.default_rng(seed)
    turn = Rotation.random(random_state=seed).as_matrix()
    grid = shell_grid(plate(turn), cells=400_000)
    within = rng.uniform(-0.8 * HALF, 0.8 * HALF, (200, 3))
    within[:, 2] = rng.uniform(-WALL / 2 * WIDTH, 2 * WIDTH, 200)
    # Linear between nodes some 2 mm apart; the middle of the wall is a ridge.
    np.testing.assert_allclose(grid(within @ turn.T), within[:, 2], atol=0.0025)
    behind = within.copy()
    behind[:, 2] = -(WALL + 2) * WIDTH
    assert (grid(behind @ turn.T) > 0).all()


def test_nothing_is_inside_beyond_the_rim():
    grid = shell_grid(plate(), cells=60_000)
    away = np.array([[HALF + d, 0.0, -0.5 * WIDTH] for d in (0.008, 0.012)])
    np.testing.assert_allclose(grid(away), [0.006, 0.010], atol=0.0015)


def test_of_a_body_that_is_a_guess_only_what_was_seen_counts():
    mesh = from_trimesh(box((0.1, 0.1, 0.1)).apply_translation((0, 0, -0.05)), GREY)
    known = known_body(VideoShape("part_1", mesh, seen=plate()), ShapeSymmetryOptions())
    assert known.symmetry.kind == "none"
    assert known.radius == pytest.approx(np.sqrt(2) * HALF, rel=0.05)
    assert np.ptp(known.corners, axis=0)[2] < 1e-9
    deep = np.array([[0.0, 0.0, -0.05]])  # of the mesh the middle, behind the shell
    assert known.grid(deep)[0] > 0
    assert known_body(VideoShape("box", mesh), ShapeSymmetryOptions()).grid(deep)[0] < 0
