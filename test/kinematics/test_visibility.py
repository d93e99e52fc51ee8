import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.kinematics.cloud import prepare_rough_cloud
from autourdf_ros.kinematics.labelling import COST_CAP, HIDDEN_COST, distance_costs
from autourdf_ros.kinematics.rigid_motion import exp_se3, transform
from autourdf_ros.kinematics.visibility import hidden, range_image

EYE = np.array([0.0, 0.0, 2.0])
UP = np.array([0.0, 0.0, 1.0])


def plate(height, half=0.5, count=60):
    """A square grid of points at a height."""
    side = np.linspace(-half, half, count)
    x, y = np.meshgrid(side, side)
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, height)])


def test_what_is_behind_a_surface_is_hidden_and_what_is_before_or_beside_it_is_not():
    image = range_image(EYE, plate(0.0))
    points = np.array([[0.1, 0.1, -0.1], [0.1, 0.1, 0.1], [0.1, 0.1, -0.01], [0.9, 0.1, -0.1]])
    found = hidden([image], points, np.tile(UP, (4, 1)), 0.02)
    assert found.tolist() == [True, False, False, False]


def test_a_surface_that_faces_away_is_hidden():
    image = range_image(EYE, plate(0.0))
    points = np.tile([0.1, 0.1, 0.1], (3, 1))
    normals = np.array([[0, 0, -1.0], [1, 0, 0], [0, 0.6, 0.8]])
    assert hidden([image], points, normals, 0.02).tolist() == [True, True, False]


def test_one_camera_that_sees_a_point_is_enough():
    above, below = range_image(EYE, plate(0.0)), range_image(-EYE, plate(-0.3))
    under_the_upper = np.array([[0.1, 0.1, -0.1]])
    assert hidden([above], under_the_upper, UP[None], 0.02).all()
    beside = range_image(np.array([2.0, 0, -0.1]), plate(-0.3))
    assert not hidden([above, beside], under_the_upper, np.array([[1.0, 0, 0]]), 0.02).any()
    assert hidden([above, below], np.array([[0, 0, -0.15]]), UP[None], 0.02).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000))
def test_a_camera_sees_what_it_measured_wherever_all_stands(seed):
    rng = np.random.default_rng(seed)
    pose = exp_se3(rng.normal(0, 1, (1, 6)))[0]
    points = plate(0.0) + 0.01 * rng.normal(size=(3600, 1)) * UP
    image = range_image(transform(pose, EYE[None])[0], transform(pose, points))
    normals = np.tile(pose[:3, :3] @ UP, (len(points), 1))
    assert not hidden([image], transform(pose, points), normals, 0.1).any()


@pytest.mark.parametrize("count", [0, 1])
def test_too_little_makes_no_image(count):
    assert range_image(EYE, np.zeros((count, 3))) is None


def test_points_that_no_camera_could_see_cost_what_points_usually_do():
    measured = np.concatenate([plate(0.0), plate(-0.5, 1.0)])
    cameras = np.zeros(len(measured), dtype=np.uint8)
    chosen = np.arange(0, len(measured), 2)
    behind, before = np.array([[0.05, 0.05, -0.2]]), np.array([[0.05, 0.05, 0.2]])
    blind = prepare_rough_cloud(measured, chosen, cameras, None)
    seeing = prepare_rough_cloud(measured, chosen, cameras, EYE[None])
    for point in (behind, before):
        assert distance_costs(blind, point, UP[None], 1e-3) == [COST_CAP]
    assert distance_costs(seeing, before, UP[None], 1e-3) == [COST_CAP]
    assert distance_costs(seeing, behind, UP[None], 1e-3) == [HIDDEN_COST]


def test_normals_point_to_the_camera_that_saw_the_surface():
    measured = np.concatenate([plate(0.1), plate(-0.1)])
    cameras = np.repeat([0, 1], 3600).astype(np.uint8)
    chosen = np.arange(0, len(measured), 3)
    cloud = prepare_rough_cloud(measured, chosen, cameras, np.stack([EYE, -EYE]))
    assert (np.sign(cloud.normals[:, 2]) == np.sign(cloud.points[:, 2])).all()
    assert len(cloud.views) == 2
