"""What a real camera, its calibration, a segmentation and encoders do to images of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

_OTHER = 7_777_777  # added to the seed of configurations and cameras
_NEAR = 40  # pixels around the robot in which a segmentation sees it wrongly


@dataclass(frozen=True)
class ImageNoise:
    """Standard deviations, unless stated otherwise. Every image has its own errors.

    Attributes:
        exposure: Of the logarithm of a factor of all colours.
        read: Of the sensor's noise in the dark, of colours in [0, 1].
        shot: Of its noise at a colour of 1; its variance is proportional to the light.
        camera: Root mean square distance (pixels) by which the camera's stated pose moves the
            middle of the robot in the image: half of its square by a turn, half by a shift, which
            have the same deviation about or along each axis of the camera.
        outline: Of the mask's outline (pixels).
        smooth: Length (pixels) along which the outline is off alike.
        holes: Mean number of holes in a mask.
        blobs: Mean number of what is taken for the robot near it.
        radii: Least and greatest radius of either (pixels).
        encoder: Of the position of a turning joint (rad).
        linear_encoder: Of a prismatic joint (m).
    """

    exposure: float = 0.04
    read: float = 0.004
    shot: float = 0.015
    camera: float = 2.0
    outline: float = 1.0
    smooth: float = 6.0
    holes: float = 2.0
    blobs: float = 2.0
    radii: tuple[float, float] = (2.0, 6.0)
    encoder: float = 1e-4
    linear_encoder: float = 1e-5


@dataclass(frozen=True)
class NoisyImages:
    """Images as a real camera makes them.

    Attributes:
        images: With cameras, masks and joint positions as they are stated.
        exposures: (F,) factor of each one's colours.
    """

    images: RobotImages
    exposures: NDArray[np.float64]


def with_noise(
    images: RobotImages, robot: SimulatedRobot, noise: ImageNoise, seed: int
) -> NoisyImages:
    """Return images with noise.

    Args:
        images: Without, with masks and depths.
        robot: That they show.
        noise: How much.
        seed: Of the images; their noise is drawn apart.
    """
    rng = np.random.default_rng(seed + _OTHER)
    sigma = {
        joint.name: noise.linear_encoder if joint.kind == "prismatic" else noise.encoder
        for joint in robot.joints
    }
    exposures = np.exp(rng.normal(0, noise.exposure, len(images.images)))
    noisy = [
        _noisy(image, sigma, noise, factor, rng)
        for image, factor in zip(images.images, exposures, strict=True)
    ]
    return NoisyImages(replace(images, images=tuple(noisy)), exposures)


def _noisy(
    image: RobotImage,
    sigma: Mapping[str, float],
    noise: ImageNoise,
    factor: float,
    rng: np.random.Generator,
) -> RobotImage:
    assert image.mask is not None and image.depth is not None
    light = factor * image.color / 255.0
    light += rng.normal(size=light.shape) * np.sqrt(noise.read**2 + noise.shot**2 * light)
    read = {
        name: value + rng.normal(0, sigma[name]) for name, value in image.joint_positions.items()
    }
    return RobotImage(
        _stated(image.camera, image.depth, noise.camera, rng),
        np.round(255 * light.clip(0, 1)).astype(np.uint8),
        read,
        _segmented(image.mask > 127, noise, rng).astype(np.uint8) * np.uint8(255),
        image.depth,
    )


def _stated(
    camera: PinholeCamera, depth: NDArray[np.float32], pixels: float, rng: np.random.Generator
) -> PinholeCamera:
    """Return a camera where a calibration says it is; pixels: see `ImageNoise.camera`."""
    seen = np.isfinite(depth)
    away = float(np.median(depth[seen])) if seen.any() else 1.0
    turn = pixels / (2 * float(np.mean(camera.focal)))
    error = rng.normal(0, np.repeat([turn, turn * away], 3))
    return replace(camera, pose=camera.pose @ exp_se3(error))


def _segmented(
    robot: NDArray[np.bool_], noise: ImageNoise, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return where a segmentation sees the robot, which is where it says (H, W)."""
    if not robot.any():
        return robot
    outside = ndimage.distance_transform_edt(~robot)
    depth = np.where(robot, ndimage.distance_transform_edt(robot) - 0.5, 0.5 - outside)
    error = ndimage.gaussian_filter(rng.normal(size=robot.shape), noise.smooth)
    found = depth + error * (noise.outline / max(float(error.std()), 1e-12)) > 0
    rows, columns = np.indices(robot.shape)
    for where, mean, value in (
        (robot, noise.holes, False),
        (~robot & (outside < _NEAR), noise.blobs, True),
    ):
        places = np.argwhere(where)
        count = rng.poisson(mean) if len(places) else 0
        for row, column in places[rng.integers(len(places), size=count)] if count else ():
            radius = rng.uniform(*noise.radii)
            found[(rows - row) ** 2 + (columns - column) ** 2 <= radius**2] = value
    return found
