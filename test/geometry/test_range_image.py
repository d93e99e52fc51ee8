import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.registration.point_costs import (
    COST_CAP,
    HIDDEN_COST,
    distance_costs,
)
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.geometry.point_cloud import prepare_measured_cloud
from autourdf_ros.geometry.range_image import hidden, range_image, seen_from
from autourdf_ros.geometry.rigid_motion import exp_se3, transform

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


@pytest.mark.slow
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


@pytest.mark.slow
def test_points_that_no_camera_could_see_cost_what_points_usually_do():
    measured = np.concatenate([plate(0.0), plate(-0.5, 1.0)])
    cameras = np.zeros(len(measured), dtype=np.uint8)
    chosen = np.arange(0, len(measured), 2)
    behind, before = np.array([[0.05, 0.05, -0.2]]), np.array([[0.05, 0.05, 0.2]])
    blind = prepare_measured_cloud(measured, chosen, cameras, None)
    seeing = prepare_measured_cloud(measured, chosen, cameras, EYE[None])
    for point in (behind, before):
        assert distance_costs(blind, point, UP[None], 1e-3) == [COST_CAP]
    assert distance_costs(seeing, before, UP[None], 1e-3) == [COST_CAP]
    assert distance_costs(seeing, behind, UP[None], 1e-3) == [HIDDEN_COST]


def test_normals_point_to_the_camera_that_saw_the_surface():
    measured = np.concatenate([plate(0.1), plate(-0.1)])
    cameras = np.repeat([0, 1], 3600).astype(np.uint8)
    chosen = np.arange(0, len(measured), 3)
    cloud = prepare_measured_cloud(measured, chosen, cameras, np.stack([EYE, -EYE]))
    assert (np.sign(cloud.normals[:, 2]) == np.sign(cloud.points[:, 2])).all()
    assert len(cloud.views) == 2


def test_a_pose_among_the_points_is_no_cameras():
    assert seen_from(EYE, plate(0.0))
    for eye in (np.zeros(3), np.array([0.1, 0.2, 0.05]), plate(0.0)[0]):
        assert not seen_from(eye, plate(0.0))


@pytest.mark.slow
@pytest.mark.parametrize(("pose", "views"), [("true", 2), ("base frame", 0), (None, 0)])
def test_a_recording_knows_what_was_seen_where_its_cameras_are_known(pose, views):
    rng = np.random.default_rng(0)
    shape = np.concatenate([plate(0.1), plate(-0.1)]) + 1e-4 * rng.normal(size=(7200, 3))
    cameras = np.repeat([0, 1], 3600).astype(np.uint8)
    poses = None if pose is None else np.tile(np.eye(4), (2, 1, 1))
    if pose == "true":
        poses[:, 2, 3] = 2.0, -2.0
    frame = Frame(shape.astype(np.float32), cameras=cameras, camera_poses=poses)
    prepared = prepare(Recording((Sequence((frame, frame)),)), 1000, report=lambda _: None)
    assert [len(cloud.views) for cloud in prepared.clouds] == [views, views]


def test_points_that_lie_on_one_another_make_no_huge_image():
    points = np.repeat(plate(0.0, count=5), 100, axis=0)
    image = range_image(EYE, points)
    assert image.depths.size <= 501**2
