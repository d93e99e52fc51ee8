"""Positions and directions of cameras."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics, cameras_around

INTRINSICS = Intrinsics.from_field_of_view(64, 48, 60.0)
COORDINATE = st.floats(-5, 5)


@given(st.tuples(COORDINATE, COORDINATE, COORDINATE))
def test_looks_at_the_target_along_z(eye):
    target = np.array([0.1, 0.2, 6.0])
    pose = look_at(np.array(eye), target)
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-9)
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1)
    seen = np.linalg.inv(pose) @ [*target, 1]
    np.testing.assert_allclose(seen[:3], [0, 0, np.linalg.norm(target - eye)], atol=1e-9)


def test_stands_upright():
    pose = look_at(np.array([2.0, 0, 1]), np.zeros(3))
    assert pose[2, 1] < 0  # image down is world down
    assert pose[2, 0] == pytest.approx(0)


def test_deprojection_inverts_projection():
    depth = np.full((48, 64), 2.0)
    points = INTRINSICS.deproject(depth)
    pixels = points[..., :2] / points[..., 2:] * INTRINSICS.focal + INTRINSICS.center
    columns, rows = np.meshgrid(np.arange(64), np.arange(48))
    np.testing.assert_allclose(pixels, np.stack([columns, rows], axis=-1), atol=1e-4)
    assert (points[..., 2] == 2).all()


@pytest.mark.parametrize("count", [1, 2, 4, 20])
def test_every_camera_sees_all_points_from_as_near_as_it_can(count):
    points = np.random.default_rng(0).uniform([-0.2, -0.9, 0.0], [0.8, 0.5, 0.4], (500, 3))
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    cameras = cameras_around(points, count, INTRINSICS, (10, 60))
    assert len(cameras) == count
    for camera in cameras:
        seen = (points - camera.pose[:3, 3]) @ camera.pose[:3, :3]
        assert (seen[:, 2] > 0).all()
        half = np.array([INTRINSICS.width, INTRINSICS.height]) / 2 / INTRINSICS.focal
        filled = np.abs(seen[:, :2] / seen[:, 2:] / half).max()
        assert filled == pytest.approx(0.95)
        offset = camera.pose[:3, 3] - center
        elevation = np.degrees(np.arcsin(offset[2] / np.linalg.norm(offset)))
        assert 10 - 1e-6 <= elevation <= 60 + 1e-6


def test_cameras_are_spread_evenly():
    points = np.random.default_rng(0).normal(size=(500, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    cameras = cameras_around(points, 8, INTRINSICS, (-60, 60))
    places = np.array([camera.pose[:3, 3] for camera in cameras])
    places /= np.linalg.norm(places, axis=1)[:, None]
    angles = np.degrees(np.arccos(np.clip(places @ places.T, -1, 1)))
    assert angles[~np.eye(8, dtype=bool)].min() > 30


def test_cameras_stand_within_the_azimuths():
    points = np.random.default_rng(0).normal(size=(500, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    cameras = cameras_around(points, 30, INTRINSICS, (0, 60), (-50, 50))
    x, y, _ = np.array([camera.pose[:3, 3] for camera in cameras]).T
    degrees = np.degrees(np.arctan2(y, x))
    assert np.abs(degrees).max() < 50
    assert np.ptp(degrees) > 90


def test_perturbation_is_in_the_cameras_own_frame():
    camera = Camera(INTRINSICS, look_at(np.array([1.0, 2, 3]), np.zeros(3)))
    moved = camera.perturbed(np.array([0, 0, 0.1]), np.zeros(3))
    step = moved.pose[:3, 3] - camera.pose[:3, 3]
    np.testing.assert_allclose(step, 0.1 * camera.pose[:3, 2])
