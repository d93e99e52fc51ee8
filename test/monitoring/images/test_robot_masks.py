"""Live images get masks by what was behind the robot, and by the predicted outline elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage
from splat_arm import camera_at

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.monitoring.images.robot_masks import MaskingOptions, learnt_scene, masked

SIZE = 40
CAMERA = camera_at((1.2, -0.5, 0.7), SIZE)
WALL = np.random.default_rng(0).uniform(0.3, 0.6, (SIZE, SIZE, 3)).astype(np.float32)
RED = np.array([0.9, 0.1, 0.1], np.float32)
OPTIONS = MaskingOptions(reach=0.3)


def square(column):
    """Where a robot, ten pixels wide, is."""
    covered = np.zeros((SIZE, SIZE), bool)
    covered[12:22, column : column + 10] = True
    return covered


def robot_mask(color, drawn, camera, scene, options):
    """The mask of an image."""
    nothing = np.ones(color.shape[:2], np.float32)
    return masked(PosedImage(camera, np.eye(4)[None], color, nothing), drawn, scene, options).mask


def image(covered, color=RED, factor=1.0):
    return (factor * np.where(covered[..., None], color, WALL)).astype(np.float32)


def predicted(covered, color=RED):
    drawn = np.zeros((SIZE, SIZE, 4), np.float32)
    drawn[..., :3] = covered[..., None] * color
    drawn[..., 3] = ~covered
    return drawn


@pytest.fixture
def scene():
    places = 2 * [square(column) for column in (2, 15, 27)]
    return learnt_scene([CAMERA] * 6, [image(one) for one in places], places, OPTIONS)


def test_what_the_robot_uncovers_is_learnt(scene):
    assert np.isfinite(scene.color).all()
    np.testing.assert_allclose(scene.color, WALL, atol=1e-6)


@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_a_robot_beside_its_prediction_has_its_own_mask(scene, factor):
    there, thought = square(12), square(15)
    mask = robot_mask(image(there, factor=factor), predicted(thought), CAMERA, scene, OPTIONS)
    known = np.isfinite(mask)
    assert known[there | thought].all()
    # Corners are rounded by the median.
    assert ((mask > 0.5) != there)[known].sum() <= 4
    assert not known[:, -1].any()  # farther away than it can be


def test_before_its_own_colour_nobody_knows_which_is_seen(scene):
    there = square(15)
    own = WALL[there].mean(axis=0)
    plain = replace(scene, color=np.full_like(WALL, own))
    mask = robot_mask(np.full_like(WALL, own), predicted(there, own), CAMERA, plain, OPTIONS)
    assert np.isnan(mask[there]).all() and (mask[np.isfinite(mask)] == 0).all()


def test_without_what_is_behind_only_the_predicted_robot_counts(scene):
    there = square(15)
    moved = replace(CAMERA, pose=CAMERA.pose + np.eye(4)[3] * 0.02)
    for camera, known in ((CAMERA, None), (moved, scene)):
        mask = robot_mask(image(there), predicted(there), camera, known, OPTIONS)
        assert set(mask[np.isfinite(mask)]) == {1} and np.isfinite(mask).sum() == 64


def test_a_camera_that_moves_learns_no_background():
    moved = replace(CAMERA, pose=camera_at((1.2, -0.4, 0.7), SIZE).pose)
    places = [square(2), square(27)]
    assert learnt_scene([CAMERA, moved], [image(one) for one in places], places) is None


def test_what_was_never_uncovered_is_not_known():
    there = square(15)
    scene = learnt_scene([CAMERA] * 2, [image(there)] * 2, [there] * 2, OPTIONS)
    assert np.isnan(scene.color[there]).all() and np.isfinite(scene.color[0]).all()


def test_what_is_behind_is_taken_from_the_pixels_of_the_outline(scene):
    there = square(15)
    share = ndimage.gaussian_filter(there.astype(np.float32), 0.6)[..., None]
    mixed = share * RED + (1 - share) * WALL
    nothing = np.ones((SIZE, SIZE), np.float32)
    seen = PosedImage(CAMERA, np.eye(4)[None], mixed, nothing)
    found = masked(seen, predicted(there), scene, OPTIONS)
    known = np.isfinite(found.mask)
    assert np.abs(found.mask - share[..., 0])[known].max() < 0.35
    assert np.median(np.abs(found.color - share * RED)[known].max(axis=1)) < 0.01
