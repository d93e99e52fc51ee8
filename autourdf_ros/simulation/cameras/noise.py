"""Noise of a depth camera; every part has its parameter.

Models: stereo depth z = focal * baseline / disparity, so that disparity noise and steps give an
axial noise and steps that increase with the square of the depth (Nguyen, Izadi, Lovell: "Modeling
Kinect sensor noise for improved 3D reconstruction and tracking", 3DIMPVT 2012; Keselman et al.:
"Intel RealSense stereoscopic depth cameras", CVPRW 2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.cameras.pinhole_camera import Camera
from autourdf_ros.simulation.cameras.renderer import View


@dataclass(frozen=True)
class CameraNoise:
    """Parameters of the noise; zero switches a part off.

    Attributes:
        disparity_sigma: standard deviation of the disparity (pixels of the sensor).
        disparity_step: quantization of the disparity (pixels of the sensor).
        stereo_focal: focal length of the sensor (pixels).
        stereo_baseline: distance between its two lenses (m).
        flying_share: share of the pixels beside a depth edge that lie between near and far.
        edge_ratio: relative depth step between neighbours that makes an edge.
        grazing_cosine: below this cosine of the incidence angle the probability of a drop-out rises
            linearly from 0 to 1.
        dropout_share: share of the image lost in random patches.
        dropout_size: size of these patches (pixels).
        extrinsic_shift: error per axis of a camera's calibrated position (m).
        extrinsic_turn: error per axis of a camera's calibrated orientation (rad).
    """

    disparity_sigma: float = 0.0
    disparity_step: float = 0.0
    stereo_focal: float = 640.0
    stereo_baseline: float = 0.095
    flying_share: float = 0.0
    edge_ratio: float = 0.02
    grazing_cosine: float = 0.0
    dropout_share: float = 0.0
    dropout_size: float = 6.0
    extrinsic_shift: float = 0.0
    extrinsic_turn: float = 0.0

    def __post_init__(self) -> None:
        """Raise InputError for a negative parameter or one out of its range."""
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value >= 0):
                raise InputError(f"noise parameter {name} is {value}; accepted is a number >= 0")
        for name in ("flying_share", "dropout_share", "grazing_cosine"):
            if getattr(self, name) > 1:
                raise InputError(f"noise parameter {name} is {getattr(self, name)}; accepted: 0..1")
        for name in ("stereo_focal", "stereo_baseline", "dropout_size", "edge_ratio"):
            if getattr(self, name) == 0:
                raise InputError(f"noise parameter {name} is 0; accepted is a number > 0")


NO_NOISE = CameraNoise()
# A RealSense D455 with its typical sub-pixel noise, well calibrated to the robot's base.
REAL_CAMERA = CameraNoise(
    disparity_sigma=0.05,
    disparity_step=1 / 32,
    flying_share=0.3,
    grazing_cosine=0.2,
    dropout_share=0.02,
    extrinsic_shift=0.001,
    extrinsic_turn=0.0017,  # 0.1 degrees
)


def miscalibrated(camera: Camera, noise: CameraNoise, rng: np.random.Generator) -> Camera:
    """Return the true camera of a calibrated one."""
    shift = rng.normal(0.0, noise.extrinsic_shift, 3)
    return camera.perturbed(shift, rng.normal(0.0, noise.extrinsic_turn, 3))


def measured_depth(view: View, noise: CameraNoise, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the depth (height, width) that the sensor reports for a view (m); NaN: none."""
    depth = view.depth.copy()
    if noise.flying_share:
        depth = _with_flying_pixels(depth, noise, rng)
    lost = np.zeros(depth.shape, dtype=bool)
    if noise.grazing_cosine:
        lost |= view.incidence < noise.grazing_cosine * rng.random(depth.shape)
    if noise.dropout_share:
        lost |= _patches(depth.shape, noise, rng)
    depth[lost] = np.nan
    return _with_disparity_noise(depth, noise, rng)


def _with_flying_pixels(
    depth: NDArray[np.float32], noise: CameraNoise, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Mix some pixels at depth edges with what lies behind them."""
    filled = np.where(np.isnan(depth), 0, depth)
    far = ndimage.maximum_filter(filled, size=3)
    edge = (far > depth * (1 + noise.edge_ratio)) & (rng.random(depth.shape) < noise.flying_share)
    mixed = depth + (far - depth) * rng.random(depth.shape)
    return np.where(edge, mixed, depth).astype(np.float32)


def _patches(
    shape: tuple[int, ...], noise: CameraNoise, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return where a smooth random field is highest, in `dropout_share` of the image."""
    coarse = [max(4, round(2 * side / noise.dropout_size)) for side in shape]
    field = ndimage.zoom(rng.standard_normal(coarse), np.divide(shape, coarse), order=1)
    return field > np.quantile(field[::4, ::4], 1 - noise.dropout_share)


def _with_disparity_noise(
    depth: NDArray[np.float32], noise: CameraNoise, rng: np.random.Generator
) -> NDArray[np.float32]:
    if not (noise.disparity_sigma or noise.disparity_step):
        return depth
    scale = noise.stereo_focal * noise.stereo_baseline
    disparity = scale / depth + rng.normal(0.0, noise.disparity_sigma, depth.shape)
    if noise.disparity_step:
        disparity = np.round(disparity / noise.disparity_step) * noise.disparity_step
    return np.where(disparity > 0, scale / np.maximum(disparity, 1e-9), np.nan).astype(np.float32)
