"""A frame for cameras that nothing else holds."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.estimation.appearance.cameras.similarity import Similarity, upright


def cameras(turns):
    """Cameras around the origin in a scene that is turned, moved and of another unit."""
    scene = Similarity(1 / 2.5, Rotation.random(random_state=1).as_matrix(), np.array([3, 1, -2]))
    found = []
    for number, turn in enumerate(turns):
        angle = 2 * np.pi * number / len(turns)
        pose = look_at(np.array([2 * np.cos(angle), 2 * np.sin(angle), 0.8]), np.zeros(3))
        pose[:3, :3] = pose[:3, :3] @ Rotation.from_euler("z", turn).as_matrix()
        found.append(scene.camera(PinholeCamera(8, 8, (9.0, 9.0), (3.5, 3.5), pose)))
    return found


def test_up_is_what_is_up_in_the_images_and_the_origin_is_what_they_look_at():
    found, agree = upright(cameras([0.0] * 6), 2.5)
    assert agree
    placed = np.array([found.camera(camera).pose for camera in cameras([0.0] * 6)])
    assert np.allclose(placed[:, 2, 3], 0.8) and np.allclose(
        np.linalg.norm(placed[:, :2, 3], axis=1), 2.0
    )
    assert np.allclose(placed[0, :3, 2] * [0, 1, 0], 0)
    assert np.linalg.det(found.turn) == pytest.approx(1)


def test_images_that_do_not_agree_on_what_is_up_say_so():
    _, agree = upright(cameras([0.0, np.pi] * 3), 1.0)
    assert not agree


def test_a_single_camera_that_looks_straight_down_has_a_frame():
    camera = PinholeCamera(8, 8, (9.0, 9.0), (3.5, 3.5), np.diag([1.0, -1.0, -1.0, 1.0]))
    found, _ = upright([camera], 1.0)
    assert np.allclose(found.turn @ found.turn.T, np.eye(3))


def test_points_move_with_cameras():
    change = Similarity(2.0, Rotation.from_euler("z", 0.4).as_matrix(), np.array([1.0, 2, 3]))
    camera = PinholeCamera(8, 8, (9.0, 9.0), (3.5, 3.5), look_at(np.ones(3), np.zeros(3)))
    points = np.random.default_rng(0).normal(scale=0.2, size=(5, 3))
    before, depth = camera.project(points)
    after, farther = change.camera(camera).project(change.points(points))
    assert np.allclose(before, after) and np.allclose(farther, 2 * depth)
