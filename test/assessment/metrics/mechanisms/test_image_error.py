"""Errors of forecast images."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.assessment.metrics.mechanisms.image_error import (
    SSIM,
    forecast_errors,
    scaled_depth,
    ssim,
)
from autourdf_ros.errors import InputError


def _image(seed: int, size: int = 24) -> np.ndarray:
    return np.random.default_rng(seed).uniform(size=(size, size))


def _ssim_by_windows(one: np.ndarray, two: np.ndarray) -> float:
    """The formula of the paper, window by window."""
    offsets = np.arange(-SSIM.radius, SSIM.radius + 1)
    weights = np.exp(-(offsets**2) / (2 * SSIM.sigma**2))
    weights = np.outer(weights, weights)
    weights /= weights.sum()
    size, c1, c2 = len(offsets), 0.01**2, 0.03**2
    values = []
    for row in range(one.shape[0] - size + 1):
        for column in range(one.shape[1] - size + 1):
            a, b = (image[row : row + size, column : column + size] for image in (one, two))
            mean_a, mean_b = (weights * a).sum(), (weights * b).sum()
            var_a, var_b = (weights * (a - mean_a) ** 2).sum(), (weights * (b - mean_b) ** 2).sum()
            both = (weights * (a - mean_a) * (b - mean_b)).sum()
            values.append(
                (2 * mean_a * mean_b + c1)
                * (2 * both + c2)
                / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))
            )
    return float(np.mean(values))


@given(st.integers(0, 1000))
@settings(max_examples=5, deadline=None)
def test_ssim_is_that_of_the_formula_over_all_windows(seed: int) -> None:
    one = _image(seed)
    two = np.clip(one + 0.1 * _image(seed + 1), 0, 1)
    assert ssim(one, two) == pytest.approx(_ssim_by_windows(one, two), abs=1e-9)
    assert ssim(one, one) == pytest.approx(1)
    assert ssim(one, two) == pytest.approx(ssim(two, one))


def test_ssim_falls_with_noise_and_averages_channels() -> None:
    one = _image(0)
    off = [ssim(one, np.clip(one + s * (_image(1) - 0.5), 0, 1)) for s in (0.1, 0.3, 0.9)]
    assert off == sorted(off, reverse=True)
    colour = np.stack([one, _image(2)], -1)
    other = np.stack([one, _image(3)], -1)
    assert ssim(colour, other) == pytest.approx((1 + ssim(_image(2), _image(3))) / 2)


def test_skill_is_one_for_the_truth_and_zero_for_the_held_image() -> None:
    truth = np.stack([_image(seed) for seed in range(3)])
    last = _image(9)
    perfect = forecast_errors(truth, truth, last)
    assert (perfect.mse, perfect.mae, perfect.skill) == (0, 0, 1)
    held = forecast_errors(np.broadcast_to(last, truth.shape), truth, last)
    assert held.skill == pytest.approx(0)
    assert held.mse == held.held_mse > 0
    assert np.isnan(forecast_errors(truth[:1], truth[:1], truth[0]).skill)


def test_depth_is_scaled_from_near_to_far_and_nothing_seen_is_far() -> None:
    depth = np.array([[0.5, 1.0, 2.0, 9.0, np.nan]], np.float32)
    assert scaled_depth(depth, 1.0, 3.0).tolist() == [[0.0, 0.0, 0.5, 1.0, 1.0]]


@pytest.mark.parametrize("near, far", [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0)])
def test_an_empty_range_of_depth_is_refused(near: float, far: float) -> None:
    with pytest.raises(InputError, match="near below far"):
        scaled_depth(np.ones((2, 2)), near, far)


def test_images_of_other_shapes_are_refused() -> None:
    truth = np.zeros((2, 16, 16))
    with pytest.raises(InputError, match="equal shapes"):
        forecast_errors(truth[:1], truth, truth[0])
    with pytest.raises(InputError, match="11 x 11"):
        ssim(np.zeros((8, 20)), np.zeros((8, 20)))
