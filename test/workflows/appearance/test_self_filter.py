"""What a camera measures of the robot is separated from the rest, and where the camera stands."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.geometry.triangle_mesh import from_trimesh
from autourdf_ros.workflows.appearance.camera_correction import CameraCorrection, CorrectionOptions
from autourdf_ros.workflows.appearance.self_filter import (
    CloudPixels,
    RobotSurface,
    SelfFilterOptions,
)
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

GREY = np.array([90, 90, 90], np.uint8)
ROBOT = from_trimesh(
    trimesh.util.concatenate(
        [
            trimesh.creation.box((0.2, 0.2, 0.5)),
            trimesh.creation.box((0.6, 0.1, 0.1)).apply_translation((0.2, 0, 0.3)),
            trimesh.creation.icosphere(radius=0.1).apply_translation((0.5, 0, 0.1)),
        ]
    ),
    GREY,
)
WALL = 3.0
SIGMA = 0.003
POSES = [look_at(np.array([1.2, y, 0.9]), np.array([0.1, 0, 0.1])) for y in (-1.0, 0.1, 1.2)]


def camera(pose):
    return PinholeCamera(160, 120, (150.0, 150.0), (79.5, 59.5), pose)


def predicted(pose):
    return DepthPainter(camera(pose), [ROBOT]).depth(np.eye(4)[None])


def measured(pose, rng):
    """Depths of robot and wall with noise, and what is the robot."""
    depth = predicted(pose)
    robot = np.isfinite(depth)
    depth = np.where(robot, depth, WALL) + rng.normal(0, SIGMA, depth.shape)
    edge = robot & ~np.roll(robot, 1, axis=1)
    mixed = edge & (rng.random(depth.shape) < 0.5)
    depth[mixed] += rng.uniform(0, 1, mixed.sum())
    return depth.astype(np.float32), robot


def test_the_robot_is_removed_with_its_mixed_pixels_and_the_rest_stays():
    rng = np.random.default_rng(0)
    for pose in POSES:
        depth, robot = measured(pose, rng)
        surface = RobotSurface(predicted(pose), SelfFilterOptions())
        found, margin = surface.of_image(depth)
        assert found[robot].mean() > 0.999
        assert (~found)[~robot].mean() > 0.99
        assert 4 * SIGMA < margin < 7 * SIGMA
        points = (camera(pose).directions * depth[..., None]).reshape(-1, 3)
        by_points, _ = surface.of_points(CloudPixels.of(points, camera(pose)))
        assert (by_points == found.ravel()).all()


def test_what_stands_before_the_robot_stays():
    depth, robot = measured(POSES[0], np.random.default_rng(1))
    held = robot.copy()
    held[:, :80] = False
    depth[held] -= 0.1
    found, _ = RobotSurface(predicted(POSES[0]), SelfFilterOptions()).of_image(depth)
    assert found[held].mean() < 0.05 and held.sum() > 200


def test_a_margin_that_is_given_holds():
    depth, robot = measured(POSES[0], np.random.default_rng(2))
    surface = RobotSurface(predicted(POSES[0]), SelfFilterOptions(margin=SIGMA, edge=0))
    found, margin = surface.of_image(depth)
    assert margin == SIGMA
    assert 0.5 < found[robot].mean() < 0.8  # within one standard deviation


def test_points_beside_the_image_behind_it_or_without_depth_are_not_the_robots():
    surface = RobotSurface(predicted(POSES[0]), SelfFilterOptions())
    points = np.array([[9.0, 0, 1], [0, 0, -1], [np.nan] * 3, [0, 0, 0], [np.inf] * 3])
    pixels = CloudPixels.of(points, camera(POSES[0]))
    found, _ = surface.of_points(pixels)
    assert not found.any() and np.isnan(pixels.image()).all()


def test_nothing_is_removed_where_no_robot_is_seen():
    nothing = np.full((120, 160), np.nan, np.float32)
    found, margin = RobotSurface(nothing, SelfFilterOptions()).of_image(np.ones((120, 160)))
    assert not found.any() and margin == SelfFilterOptions().bounds[1]


@pytest.mark.parametrize("most", [12_000, 1_000])
def test_the_error_of_a_camera_is_found(most):
    rng = np.random.default_rng(3)
    error = np.eye(4)
    error[:3, :3] = Rotation.from_rotvec([0.003, -0.004, 0.002]).as_matrix()
    error[:3, 3] = 0.002, -0.003, 0.004
    correction = CameraCorrection(CorrectionOptions(most=most))
    for pose in POSES * 3:
        depth, _ = measured(pose @ error, rng)
        assumed = pose @ correction.pose
        correction.see(depth, predicted(assumed), camera(assumed))
    left = np.linalg.inv(correction.pose) @ error
    assert np.linalg.norm(left[:3, 3]) < 0.001
    assert Rotation.from_matrix(left[:3, :3]).magnitude() < 0.001
    assert correction.shift == pytest.approx(np.linalg.norm(error[:3, 3]), abs=0.001)


def test_a_camera_that_sees_little_of_the_robot_is_not_corrected():
    correction = CameraCorrection()
    depth, robot = measured(POSES[0], np.random.default_rng(4))
    far = replace(camera(POSES[0]), pose=POSES[0])
    correction.see(depth, np.full_like(depth, np.nan), far)
    few = np.where(np.cumsum(robot).reshape(robot.shape) < 300, depth, np.nan)
    correction.see(few, predicted(POSES[0]), far)
    assert (correction.pose == np.eye(4)).all()
