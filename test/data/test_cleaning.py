import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data import cleaning
from autourdf_ros.data.background import Background
from autourdf_ros.data.cleaning import Box, CleaningOptions, Ground
from autourdf_ros.geometry.sampling import farthest_point_indices


def sphere(count: int, radius: float, center=(0.0, 0.0, 0.0), seed: int = 0):
    direction = np.random.default_rng(seed).normal(size=(count, 3))
    return center + radius * direction / np.linalg.norm(direction, axis=1, keepdims=True)


def plane(count: int, height: float, slope=(0.0, 0.0), noise: float = 0.001, seed: int = 0):
    rng = np.random.default_rng(seed)
    xy = rng.uniform(-0.5, 0.5, (count, 2))
    return np.column_stack([xy, height + xy @ slope + rng.normal(0, noise, count)])


def test_everything_but_the_robot_is_removed():
    rng = np.random.default_rng(1)
    robot = sphere(4000, 0.1, (0, 0, 0.3))
    clutter = rng.uniform(1.0, 2.0, (500, 3))
    flying = rng.uniform((-0.5, -0.5, 0.1), (0.5, 0.5, 1.1), (60, 3))
    thing = sphere(500, 0.05, (0.4, 0.4, 0.3))
    first = np.vstack([robot[::2], plane(6000, 0.004, (0.02, -0.01)), clutter, flying])
    second = np.vstack([robot[1::2], plane(6000, -0.006, (0.0, 0.01), 0.004), thing])
    box = Box((-0.8, -0.8, -0.2), (0.8, 0.8, 0.9))
    options = CleaningOptions(box, Ground(), 5.0, 0.05, 1000)
    points, colors, cameras = cleaning.clean([(first, None), (second, None)], options)
    assert colors is None and len(cameras) == len(points)
    assert (np.bincount(cameras) > 300).all()
    off = np.abs(np.linalg.norm(points - (0, 0, 0.3), axis=1) - 0.1) > 0.01
    assert 700 < len(points) <= 1000
    assert points.dtype == np.float32
    assert off.mean() < 0.02


def test_colors_stay_with_their_points():
    points = np.array([[0, 0, 0.1], [0, 0, 0.2], [0, 0, np.nan], [5, 0, 0.3]])
    colors = np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]], np.uint8)
    box = Box((-1, -1, -1), (1, 1, 1))
    views = [(points[1:], colors[1:]), (points[:1], colors[:1])]
    kept, kept_colors, cameras = cleaning.clean(views, CleaningOptions(box))
    np.testing.assert_allclose(kept, points[[1, 0]], atol=1e-6)
    np.testing.assert_array_equal(kept_colors, colors[[1, 0]])
    assert cameras.tolist() == [0, 1]


@settings(max_examples=25, deadline=None)
@given(
    height=st.floats(-0.02, 0.02),
    slope=st.tuples(st.floats(-0.02, 0.02), st.floats(-0.02, 0.02)),
    seed=st.integers(0, 100),
)
def test_the_ground_is_found_where_it_is(height, slope, seed):
    ground = plane(1500, height, slope, 0.001, seed)
    robot = sphere(800, 0.1, (0.1, 0.1, 0.25), seed)
    mask = cleaning.above_ground_mask(np.vstack([ground, robot]), Ground(search=0.05))
    assert mask[:1500].mean() < 0.01
    assert mask[1500:].all()


def test_without_a_visible_ground_nothing_above_it_is_taken_away():
    robot = sphere(2000, 0.1, (0, 0, 0.1))
    mask = cleaning.above_ground_mask(robot, Ground())
    np.testing.assert_array_equal(mask, robot[:, 2] > Ground().margin)


def test_only_the_largest_connected_part_is_kept():
    robot, near, far = (
        sphere(2000, 0.2),
        sphere(300, 0.05, (0.27, 0, 0)),
        sphere(900, 0.1, (1, 0, 0)),
    )
    mask = cleaning.largest_part_mask(np.vstack([robot, near, far]), 0.05)
    assert mask[:2300].all() and not mask[2300:].any()


def test_isolated_points_are_outliers():
    points = np.vstack([sphere(2000, 0.1), [[0.3, 0.3, 0.3]], [[-0.4, 0, 0]]])
    mask = cleaning.inlier_mask(points, 5.0)
    assert not mask[-2:].any()
    assert mask[:-2].mean() > 0.9


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(count=st.integers(1, 300), wanted=st.integers(1, 200), seed=st.integers(0, 1000))
def test_voxels_and_farthest_points_keep_the_asked_number(count, wanted, seed):
    points = np.random.default_rng(seed).uniform(-1, 1, (count, 3))
    size = cleaning.voxel_size_for(points, wanted)
    reduced, _ = cleaning.voxel_downsample(points, None, size)
    assert len(reduced) <= wanted
    assert reduced.min() >= points.min() and reduced.max() <= points.max()
    chosen = farthest_point_indices(points, wanted)
    assert len(np.unique(chosen)) == len(chosen) == min(count, wanted)


def test_farthest_points_are_spread():
    line = np.column_stack([np.linspace(0, 1, 101), np.zeros((101, 2))])
    chosen = sorted(line[farthest_point_indices(line, 5), 0])
    np.testing.assert_allclose(chosen, [0, 0.25, 0.5, 0.75, 1.0])


def test_the_background_is_taken_away_and_nothing_else():
    rng = np.random.default_rng(2)
    robot = sphere(3000, 0.1, (0, 0, 0.3))
    shelf = rng.uniform((-0.5, 0.3, 0), (0.5, 0.302, 0.8), (6000, 3))
    scene = Background(shelf[::2].astype(np.float32), 0.03)
    options = CleaningOptions(outlier_ratio=0.0, background=scene)
    seen = shelf[1::2] + rng.normal(0, 0.002, (3000, 3))
    points, _, _ = cleaning.clean([(np.vstack([robot, seen]), None)], options)
    np.testing.assert_allclose(points, robot, atol=1e-6)


@given(st.integers(0, 1000), st.floats(0.01, 0.2))
def test_the_background_ends_at_its_tolerance(seed, tolerance):
    rng = np.random.default_rng(seed)
    scene, points = rng.uniform(-0.3, 0.3, (50, 3)), rng.uniform(-0.3, 0.3, (80, 3))
    distances = np.linalg.norm(points[:, None] - scene[None], axis=2).min(axis=1)
    mask = Background(scene, tolerance).foreground_mask(points)
    np.testing.assert_array_equal(mask, distances >= tolerance)


def test_an_inside_out_box_is_refused():
    with pytest.raises(ValueError, match="lower must be below upper"):
        Box((0, 0, 0), (1, -1, 1))
