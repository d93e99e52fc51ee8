"""Errors of forecast images: squared, absolute, structural, and the skill beyond standing still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from autourdf_ros.errors import InputError

Images = NDArray[np.float64]


@dataclass(frozen=True)
class SsimOptions:
    """Constants of Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment", 2004, section III.

    Attributes:
        sigma: Of the Gaussian window (pixels).
        radius: Of the window (pixels): 11 x 11 are weighed.
        luminance: K1 of the stabilising constants.
        contrast: K2 of the stabilising constants.
    """

    sigma: float = 1.5
    radius: int = 5
    luminance: float = 0.01
    contrast: float = 0.03


SSIM = SsimOptions()


@dataclass(frozen=True)
class ForecastErrors:
    """Errors of a forecast, whose images have values from 0 to 1.

    Attributes:
        mse: Mean squared error.
        mae: Mean absolute error.
        ssim: Mean structural similarity, 1 where images are equal.
        held_mse: Mean squared error of the last known image, held.
        skill: 1 - mse / held_mse: 1 is perfect, 0 no better than to hold the last image, NaN where
            nothing changes. A static background flatters the other figures, not this one.
    """

    mse: float
    mae: float
    ssim: float
    held_mse: float
    skill: float


def scaled_depth(depth: NDArray[np.floating], near: float, far: float) -> Images:
    """Return depth scaled from 0 (near) to 1 (far or farther; also where there is none).

    Raises:
        InputError: near is not below far.
    """
    if not near < far:
        raise InputError(f"depth from {near} to {far} m; accepted is a range with near below far")
    scaled = (np.asarray(depth, float) - near) / (far - near)
    return np.clip(np.where(np.isfinite(scaled), scaled, 1.0), 0.0, 1.0)


def forecast_errors(forecast: Images, truth: Images, last: Images) -> ForecastErrors:
    """Compare forecast images with those that came.

    Args:
        forecast: (T, H, W) or (T, H, W, C), from 0 to 1.
        truth: Of the same shape.
        last: (H, W) or (H, W, C) the last image that the forecast was made from.

    Raises:
        InputError: shapes differ.
    """
    if forecast.shape != truth.shape or truth.shape[1:] != last.shape:
        raise InputError(
            f"forecast of shape {forecast.shape}, truth {truth.shape}, last image {last.shape}; "
            "accepted are equal shapes"
        )
    off = np.asarray(forecast, float) - truth
    mse = float(np.mean(off**2))
    held = float(np.mean((np.asarray(last, float) - truth) ** 2))
    return ForecastErrors(
        mse,
        float(np.mean(np.abs(off))),
        float(np.mean([ssim(one, two) for one, two in zip(forecast, truth, strict=True)])),
        held,
        1 - mse / held if held > 0 else np.nan,
    )


def ssim(one: Images, two: Images, options: SsimOptions = SSIM) -> float:
    """Return the mean structural similarity of two images with values from 0 to 1.

    Wang et al., 2004, equation 13, with the Gaussian window; windows that reach over the border
    are left out, as its section III.B and scikit-image have it.

    Args:
        one: (H, W) or (H, W, C); channels are averaged.
        two: Of the same shape.
        options: Window and constants.

    Raises:
        InputError: shapes differ, or the images are smaller than the window.
    """
    size = 2 * options.radius + 1
    if one.shape != two.shape or min(one.shape[:2]) < size:
        raise InputError(
            f"SSIM of images {one.shape} and {two.shape}; accepted are two of one shape, each "
            f"{size} x {size} or larger"
        )
    if one.ndim == 3:
        channels = range(one.shape[2])
        return float(np.mean([ssim(one[..., c], two[..., c], options) for c in channels]))
    mean_1, mean_2 = _windowed(one, options), _windowed(two, options)
    variance_1 = _windowed(one**2, options) - mean_1**2
    variance_2 = _windowed(two**2, options) - mean_2**2
    covariance = _windowed(one * two, options) - mean_1 * mean_2
    c1, c2 = options.luminance**2, options.contrast**2
    similar = (2 * mean_1 * mean_2 + c1) * (2 * covariance + c2)
    similar /= (mean_1**2 + mean_2**2 + c1) * (variance_1 + variance_2 + c2)
    inner = slice(options.radius, -options.radius)
    return float(similar[inner, inner].mean())


def _windowed(image: Images, options: SsimOptions) -> Images:
    """Weighted means over the window about every pixel."""
    return gaussian_filter(
        np.asarray(image, float), options.sigma, radius=options.radius, mode="reflect"
    )
