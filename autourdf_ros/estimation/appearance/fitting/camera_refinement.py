"""Where a camera stands, by the robot that it sees: the error of its calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.fitting.exposure import exposed, exposure
from autourdf_ros.estimation.appearance.fitting.fit_options import CameraOptions
from autourdf_ros.estimation.appearance.fitting.image_slopes import image_information
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.rasterizer.rasterize import Gaussians, rasterize
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3

_STEP = 0.3  # pixels, of the finite differences


def moved_camera(camera: PinholeCamera, twist: Array) -> PinholeCamera:
    """Return a camera that is moved by a twist (omega, v) along its own axes (rad, m)."""
    return replace(camera, pose=camera.pose @ exp_se3(twist))


def refined_camera(
    gaussians: Gaussians,
    image: PosedImage,
    begin: Array,
    options: CameraOptions,
    own_exposure: bool = False,
    used: NDArray[np.bool_] | None = None,
) -> Array:
    """Return the twist (6,) by which a camera stands from where it is said to.

    Gauss and Newton's steps of the image's residuals, of which large ones count less (Geman and
    McClure's weights): holes of a mask are not the camera's error. A turn and a shift move a
    distant robot alike; the prior distributes what is seen over both.

    Args:
        gaussians: The robot in the world, in the image's configuration.
        image: With the camera as it is stated.
        begin: Twist to begin with.
        options: All constants.
        own_exposure: Whether the image has its own, which is taken from it.
        used: (H, W) which pixels count; None: all.
    """
    prior = np.diag(np.repeat([options.turn**-2, options.shift**-2], 3))
    depth = _depth(gaussians, image.camera)
    angle = _STEP / float(np.mean(image.camera.focal))
    steps = np.repeat([angle, angle * depth], 3)
    twist = np.array(begin, float)
    for _ in range(options.steps):
        drawn = _drawn(gaussians, image.camera, twist)
        seen = exposed(image, exposure(drawn, image)) if own_exposure else image
        changes = np.stack(
            [_drawn(gaussians, image.camera, twist + step) - drawn for step in np.diag(steps)],
            axis=-1,
        )
        information, slope = image_information(drawn, changes, steps, seen, options.residuals, used)
        change = np.linalg.solve(information + prior, slope + prior @ twist)
        twist -= change
        if camera_error(gaussians, image.camera, change) < options.settled:
            break
    return twist


def camera_error(gaussians: Gaussians, camera: PinholeCamera, twist: Array) -> float:
    """Return by how many pixels a twist moves the robot in the image, on average."""
    means = gaussians.means.astype(float)
    before, depth = camera.project(means)
    after, _ = moved_camera(camera, twist).project(means)
    apart = np.linalg.norm(after - before, axis=1)[depth > 0]
    return float(apart.mean()) if len(apart) else 0.0


def _drawn(gaussians: Gaussians, camera: PinholeCamera, twist: Array) -> Floats:
    return rasterize(gaussians, moved_camera(camera, twist)).pixels


def _depth(gaussians: Gaussians, camera: PinholeCamera) -> float:
    """Return how far away the robot is (m)."""
    _, depth = camera.project(gaussians.means.astype(float))
    ahead = depth[depth > 0]
    return float(np.median(ahead)) if len(ahead) else 1.0
