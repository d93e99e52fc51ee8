"""A robot in a scene of unknown unit, by its outlines: spheres that move with known positions."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.cameras.robot_alignment import (
    AlignmentOptions,
    RobotViews,
    find_robot,
    smaller,
)
from autourdf_ros.estimation.appearance.cameras.similarity import Similarity

SCENE = Similarity(1 / 0.4, Rotation.random(random_state=5).as_matrix(), np.array([2.0, 1, -3]))
QUICK = AlignmentOptions(turns=2000, tried=4, images=(5, 10), rounds=(4, 4), sides=(48, 96))
RADII = np.array([0.12, 0.07, 0.05])


def places(number):
    """Middles (3, 3) of the spheres in an image: two of them turn, with the positions known."""
    turn = Rotation.from_euler("z", 0.7 * number).as_matrix()
    bend = Rotation.from_euler("y", 0.4 * np.sin(number)).as_matrix()
    return np.array([[0, 0, 0], turn @ [0.2, 0, 0.1], turn @ ([0.2, 0, 0.1] + bend @ [0, 0, 0.2])])


def drawn(number, camera):
    """Depths of spheres, whose outlines are exact."""
    rays = camera.directions.reshape(-1, 3)
    depth = np.full(len(rays), np.inf)
    local = (places(number) - camera.pose[:3, 3]) @ camera.pose[:3, :3]
    for middle, radius in zip(local, RADII, strict=True):
        a, b = np.sum(rays**2, axis=1), rays @ middle
        root = b**2 - a * (middle @ middle - radius**2)
        hit = root >= 0
        depth[hit] = np.minimum(depth[hit], (b[hit] - np.sqrt(root[hit])) / a[hit])
    depth = np.where(np.isfinite(depth), depth, np.nan)
    return depth.reshape(camera.height, camera.width).astype(np.float32)


def views(count=10, shown=True):
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(60, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    cameras, masks, points = [], [], []
    for number in range(count):
        angle = 2 * np.pi * number / count
        eye = np.array([np.cos(angle), np.sin(angle), rng.uniform(-0.2, 0.8)]) * 1.2
        pose = look_at(eye, np.array([0.05, 0, 0.1]))
        cameras.append(PinholeCamera(96, 96, (110.0, 110.0), (47.5, 47.5), pose))
        masks.append(np.isfinite(drawn(number, cameras[-1])).astype(np.float32) * shown)
        points.append((places(number)[:, None] + RADII[:, None, None] * ball).reshape(-1, 3))
    placed = [SCENE.camera(camera) for camera in cameras]
    return cameras, RobotViews(placed, masks, np.array(points), drawn)


@pytest.mark.slow  # 1 s
def test_unit_and_base_frame_are_found():
    true, given = views()
    found = find_robot(given, QUICK)
    assert found.overlap > 0.97 and found.images == 10
    assert found.runner_up < found.overlap
    assert found.similarity.scale == pytest.approx(0.4, rel=0.01)
    for camera, placed in zip(true, given.cameras, strict=True):
        change = np.linalg.inv(camera.pose) @ found.similarity.camera(placed).pose
        assert Rotation.from_matrix(change[:3, :3]).magnitude() < np.radians(0.4)
        assert np.linalg.norm(change[:3, 3]) < 0.012


@pytest.mark.slow  # 1 s
def test_masks_of_something_else_are_refused():
    _, given = views()
    bars = [np.zeros((96, 96), np.float32) for _ in given.masks]
    for number, bar in enumerate(bars):
        bar[5:9] = number % 2
        bar[:, 80:84] = 1 - number % 2
    with pytest.raises(InputError, match=r"nowhere in the scene: .* overlap by \d+% at best"):
        find_robot(RobotViews(given.cameras, bars, given.points, drawn), QUICK)
    with pytest.raises(InputError, match="the robot is in 0 masks"):
        find_robot(views(shown=False)[1], QUICK)


def test_a_smaller_image_is_of_the_same_camera():
    camera = PinholeCamera(96, 96, (110.0, 110.0), (47.5, 47.5), np.eye(4))
    mask = np.zeros((96, 96), np.float32)
    mask[20:40, 50:60] = 1
    small, means = smaller(camera, mask, 48)
    assert means.shape == (48, 48) and means[10:20, 25:30].all() and means.sum() == 50
    point = np.array([[0.1, -0.2, 1.3]])
    large, little = camera.project(point)[0], small.project(point)[0]
    assert np.allclose((large + 0.5) / 2 - 0.5, little)
    assert smaller(camera, mask, 200)[0] is camera
