"""Cameras that are off are found again, by the robot that they see."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from colored_ball import HOME, colored_ball, true_ball
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.appearance.camera_check import CameraCheck, check_cameras
from autourdf_ros.estimation.appearance.fitting.camera_refinement import (
    camera_error,
    moved_camera,
    refined_camera,
)
from autourdf_ros.estimation.appearance.fitting.fit_options import (
    REFINED_CAMERAS,
    CameraOptions,
    SplatFitOptions,
)
from autourdf_ros.estimation.appearance.fitting.fit_splats import fit_splats
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors, psnr
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.geometry.rigid_motion import exp_se3, log_se3

OPTIONS = CameraOptions(steps=12)


@cache
def made():
    return colored_ball(24, 48)


@pytest.fixture
def ball():
    return made()


def stated(images, seed, turn=0.015, shift=0.015):
    """Images whose cameras are said to stand elsewhere, and the twists back."""
    errors = np.random.default_rng(seed).normal(size=(len(images), 6)) * np.repeat([turn, shift], 3)
    wrong = [
        replace(image, camera=moved_camera(image.camera, error))
        for image, error in zip(images, errors, strict=True)
    ]
    return wrong, log_se3(np.linalg.inv(exp_se3(errors)))


def left(begin, links, images, wrong, twists):
    """Pixels by which corrected cameras are off."""
    gaussians = posed(true_ball(begin), links, HOME)
    return np.array(
        [
            camera_error(
                gaussians,
                true.camera,
                log_se3(np.linalg.inv(true.camera.pose) @ moved_camera(one.camera, twist).pose),
            )
            for true, one, twist in zip(images, wrong, twists, strict=True)
        ]
    )


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_camera_is_found_where_it_was(seed):
    begin, links, images = made()
    wrong, _ = stated(images[:1], seed, 0.008, 0.008)
    gaussians = posed(true_ball(begin), links, HOME)
    twist = refined_camera(gaussians, wrong[0], np.zeros(6), OPTIONS)
    assert left(begin, links, images[:1], wrong, [twist])[0] < 0.35  # of a radius of 12


def test_a_hole_in_the_mask_is_not_the_cameras_error(ball):
    begin, links, images = ball
    wrong, _ = stated(images[:4], 1)
    gaussians = posed(true_ball(begin), links, HOME)
    found = []
    for image in wrong:
        mask = image.mask.copy()
        mask[20:26, 14:24] = 0
        color = image.color * (mask > 0)[..., None]
        holed = replace(image, mask=mask, color=color)
        found.append(refined_camera(gaussians, holed, np.zeros(6), OPTIONS))
    assert left(begin, links, images[:4], wrong, found).max() < 0.25
    assert left(begin, links, images[:4], wrong, np.zeros((4, 6))).mean() > 0.7


def test_where_nothing_is_seen_the_camera_stays(ball):
    begin, links, images = ball
    gaussians = posed(true_ball(begin), links, HOME)
    nothing = np.zeros(images[0].mask.shape, bool)
    assert not refined_camera(gaussians, images[0], np.zeros(6), OPTIONS, used=nothing).any()


@pytest.mark.slow
def test_cameras_and_splats_are_found_together(ball):
    begin, links, images = ball
    wrong, back = stated(images, 2)
    assert left(begin, links, images, wrong, back).max() < 1e-6
    options = SplatFitOptions(coarse_steps=100, fine_steps=200)
    plain = fit_splats(begin, links, wrong[4:], options)
    refined = fit_splats(begin, links, wrong[4:], replace(options, cameras=REFINED_CAMERAS))
    assert plain.cameras is None
    before = left(begin, links, images[4:], wrong[4:], np.zeros((20, 6)))
    after = left(begin, links, images[4:], wrong[4:], refined.cameras)
    assert np.median(after) < 0.35 * np.median(before)
    # The true cameras of other images see the better model.
    ratios = [
        psnr(held_out_errors(one.splats, links, images[:4]).robot).mean()
        for one in (plain, refined)
    ]
    assert ratios[1] > ratios[0] + 2
    # Of held-out images with wrong cameras, each pixel is predicted from where others say it is.
    errors = held_out_errors(refined.splats, links, wrong[:4], cameras=CameraOptions())
    said = check_cameras(refined, links, wrong[4:], wrong[:4], replace(options, cameras=OPTIONS))
    assert psnr(errors.robot).mean() > psnr(said.stated.robot).mean() + 2
    assert said.refined and said.typical == pytest.approx(np.median(before), rel=0.25)
    found = check_cameras(plain, links, wrong[4:], wrong[:4], options)
    assert not found.refined and found.typical > 0.4


def test_cameras_that_are_off_are_named():
    off = CameraCheck(np.array([2.0, 2.2, 9.0]), False)
    assert "cameras are off by 2.2 pixels" in off.doubts(1.0, 8.0)[0]
    assert "--refine-cameras" in off.doubts(1.0, 8.0)[0]
    assert not CameraCheck(np.array([0.2]), False).doubts(1.0, 8.0)
    assert not CameraCheck(np.array([2.2]), True).doubts(1.0, 8.0)
    assert (
        "more than the 8 that can be corrected"
        in CameraCheck(np.array([12.0]), True).doubts(1.0, 8.0)[0]
    )
