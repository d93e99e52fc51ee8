"""Exposures of images are found along with the splats."""

from dataclasses import replace

import numpy as np
import pytest
from colored_ball import colored_ball
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.appearance.fitting.exposure import RANGE, exposed, exposure
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.fit_splats import fit_splats
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors, psnr

COUNT = 16


@pytest.fixture(scope="module")
def ball():
    return colored_ball(COUNT)


def brightened(images, factors):
    return [
        replace(image, color=image.color * np.float32(factor))
        for image, factor in zip(images, factors, strict=True)
    ]


@settings(max_examples=20, deadline=None)
@given(factor=st.floats(0.3, 3.0))
def test_the_factor_of_one_image_is_found_and_taken_off(ball, factor):
    _, _, images = ball
    image = images[0]
    (bright,) = brightened([image], [factor])
    pixels = np.concatenate([image.color, 1 - image.mask[..., None]], axis=2)
    assert exposure(pixels, bright) == pytest.approx(factor, rel=1e-5)
    assert np.allclose(exposed(bright, factor).color, image.color, atol=1e-6)


def test_nothing_in_sight_has_the_mean_exposure_and_factors_have_bounds(ball):
    _, _, images = ball
    image = images[0]
    nothing = np.zeros((32, 32, 4), np.float32)
    assert exposure(nothing, image) == 1.0
    pixels = np.concatenate([image.color, 1 - image.mask[..., None]], axis=2)
    (blinding,) = brightened([image], [100.0])
    assert exposure(pixels, blinding) == RANGE


@pytest.mark.slow
def test_images_of_different_exposure_give_the_same_colours(ball):
    begin, links, images = ball
    factors = np.exp(np.random.default_rng(1).normal(0, 0.3, COUNT))
    bright = brightened(images, factors / factors.mean())
    options = SplatFitOptions(coarse_steps=0, fine_steps=250)
    mixed = fit_splats(begin, links, bright, options)
    found = fit_splats(begin, links, bright, replace(options, exposure=True))
    assert mixed.exposures is None
    assert np.mean(found.exposures) == pytest.approx(1)
    assert np.corrcoef(found.exposures, factors)[0, 1] > 0.99
    assert found.exposures == pytest.approx(factors / factors.mean(), rel=0.1)
    ratios = [
        psnr(held_out_errors(one.splats, links, images, True).robot).mean()
        for one in (mixed, found)
    ]
    assert ratios[1] > ratios[0] + 3
