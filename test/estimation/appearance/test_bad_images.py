"""What is wrong with images is named in the verdict."""

from dataclasses import replace

import numpy as np
import pytest
from colored_ball import colored_ball, true_ball

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.estimate_splats import LinkSurfaces, estimate_splats
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.fit_splats import fit_splats
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors
from autourdf_ros.estimation.appearance.light_check import light_changes, light_doubts
from autourdf_ros.estimation.appearance.mask_check import MaskOptions, check_masks
from autourdf_ros.estimation.appearance.position_timing import timing_doubts
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import posed

COUNT = 12


@pytest.fixture(scope="module")
def ball():
    begin, links, images = colored_ball(COUNT, 48)
    return true_ball(begin), links, images


def moving(ball, step):
    """Images of the ball, which moves by `step` (m) along a line from each to the next."""
    splats, links, images = ball
    found = []
    for number, image in enumerate(images):
        poses = np.eye(4)[None].copy()
        poses[0, :3, 3] = step * (number - COUNT / 2) * np.array([0.6, 0.5, 0.6])
        pixels = rasterize(posed(splats, links, poses), image.camera).pixels
        found.append(replace(image, poses=poses, color=pixels[..., :3], mask=1 - pixels[..., 3]))
    return found


@pytest.mark.parametrize(("lag", "said"), [(-1, "late"), (1, "early")])
def test_joint_positions_of_another_image_are_named(ball, lag, said):
    splats, links, _ = ball
    images = moving(ball, 0.02)
    assert timing_doubts(splats, links, images) == []
    late = [
        replace(image, poses=images[min(max(number + lag, 0), COUNT - 1)].poses)
        for number, image in enumerate(images)
    ]
    (doubt,) = timing_doubts(splats, links, late)
    assert f"the positions are {said} by one image" in doubt
    assert timing_doubts(splats, links, moving(ball, 0.0)) == []
    assert timing_doubts(splats, links, images[:2]) == []


def lit(ball, strength, seed=0):
    """Images under a light from another side in each."""
    splats, links, images = ball
    ways = np.random.default_rng(seed).normal(size=(COUNT, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    found = []
    for image, way in zip(images, ways, strict=True):
        factor = (1 + strength * splats.normals @ way)[:, None].astype(np.float32)
        shaded = replace(splats, albedos=splats.albedos * factor)
        pixels = rasterize(posed(shaded, links, image.poses), image.camera).pixels
        found.append(replace(image, color=pixels[..., :3]))
    return found


def test_a_light_that_moves_is_named_and_exposure_is_not_taken_for_it(ball):
    splats, links, images = ball
    moved = light_changes(splats, links, lit(ball, 0.6))
    (doubt,) = light_doubts(moved, True)
    assert "the light on the robot changes between images" in doubt
    factors = np.linspace(0.6, 1.4, COUNT)
    bright = [
        replace(image, color=image.color * np.float32(factor))
        for image, factor in zip(images, factors, strict=True)
    ]
    changes = light_changes(splats, links, bright)
    assert changes[:, 0] == pytest.approx(factors - 1, abs=0.02)
    assert light_doubts(changes, True) == []
    (doubt,) = light_doubts(changes, False)
    assert "--exposure finds each one" in doubt
    assert light_doubts(light_changes(splats, links, images), False) == []
    nothing = [replace(image, mask=np.zeros_like(image.mask)) for image in images[:2]]
    assert light_doubts(light_changes(splats, links, nothing), False) == []


def test_holes_and_blobs_of_masks_are_left_out(ball):
    splats, links, images = ball
    clean = check_masks(splats, links, images, MaskOptions(3.0))
    assert clean.shares.max() == 0
    holed = []
    for image in images:
        mask = image.mask.copy()
        mask[21:26, 21:26] = 0
        mask[2:6, 2:6] = 1
        holed.append(replace(image, mask=mask, color=image.color * (mask > 0)[..., None]))
    found = check_masks(splats, links, holed, MaskOptions(3.0))
    for image, before in zip(found.images, images, strict=True):
        unknown = np.isnan(image.mask)
        assert unknown[22:24, 22:24].all() and unknown[2:6, 2:6].all()
        assert unknown.sum() <= 100
        assert np.array_equal(image.mask[10:20], before.mask[10:20])
    few = SplatFitOptions(coarse_steps=1, fine_steps=1)
    assert np.isfinite(fit_splats(splats, links, found.images, few).losses).all()
    errors = held_out_errors(splats, links, found.images)
    assert errors.robot.max() < 1e-5 < held_out_errors(splats, links, holed).whole.min()
    assert np.isfinite(errors.links).all() and errors.overlap.min() > 0.95


def test_masks_of_another_place_stay_as_they_are(ball):
    splats, links, images = ball
    moved = [replace(image, mask=np.roll(image.mask, 14, axis=1)) for image in images]
    found = check_masks(splats, links, moved, MaskOptions(3.0))
    assert np.median(found.shares) > 0.1
    assert all(one is two for one, two in zip(found.images, moved, strict=True))


def surfaces(ball):
    """The ball, and another link that is out of sight."""
    splats, links, _ = ball
    points = np.concatenate([splats.means, splats.means[:50] - [0, 0, 20]]).astype(float)
    normals = np.concatenate([splats.normals, splats.normals[:50]]).astype(float)
    both = np.concatenate([links, np.ones(50, np.int64)])
    return LinkSurfaces(("ball", "foot"), points, normals, np.full_like(points, 0.5), both)


QUICK = AppearanceOptions(held_out=4, good=5.0, fit=SplatFitOptions(20, 20))


@pytest.mark.slow
def test_a_link_that_no_image_shows_is_named(ball):
    _, _, images = ball
    two = [replace(image, poses=np.tile(np.eye(4), (2, 1, 1))) for image in images]
    found = estimate_splats(two, surfaces(ball), QUICK)
    assert found.verdict.trust == "doubtful"
    assert any("foot is seen in no held-out image" in one for one in found.verdict.reasons)
    assert not any("ball is seen in no" in one for one in found.verdict.reasons)


def test_too_few_views_are_refused(ball):
    _, _, images = ball
    with pytest.raises(InputError, match="7 images; accepted are 8 or more"):
        estimate_splats(images[:7], surfaces(ball), QUICK)
