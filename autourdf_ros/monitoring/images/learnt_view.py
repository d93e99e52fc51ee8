"""What a camera learns of a robot while nothing is wrong, for the watch by colour images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.estimation.appearance.fitting.camera_refinement import (
    moved_camera,
    refined_camera,
)
from autourdf_ros.estimation.appearance.fitting.fit_options import CameraOptions
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors
from autourdf_ros.estimation.appearance.light_check import light_changes
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.monitoring.images.robot_masks import (
    HALF,
    EmptyScene,
    MaskingOptions,
    cropped,
    learnt_scene,
    masked,
)
from autourdf_ros.parallel import on_all_cores


@dataclass(frozen=True)
class SeenImage:
    """An image without a mask.

    Attributes:
        stamp: Seconds.
        image: With links posed by the readings; its mask says nothing.
        free: (K,) readings of the free joints.
    """

    stamp: float
    image: PosedImage
    free: Array


@dataclass(frozen=True)
class LearntView:
    """What a camera has learnt.

    Attributes:
        scene: Behind the robot; None where the camera moves.
        twist: (6,) by which the camera's pose is off (omega, v) along its own axes (rad, m).
        links: (L,) mean squared error of a colour of each link; NaN where not seen.
        light: How much the light differs from that of the fit.
    """

    scene: EmptyScene | None
    twist: Array
    links: Array
    light: float


def learnt_view(
    robot: SplatRobot, seen: Sequence[SeenImage], options: MaskingOptions
) -> LearntView:
    """Return what a camera's images say while nothing is wrong.

    Args:
        robot: With splats.
        seen: At least one image.
        options: How the robot is separated from what is behind it.
    """
    scene = learnt_scene(
        [one.image.camera for one in seen],
        [one.image.color for one in seen],
        [shown(robot, one) for one in seen],
        options,
    )
    twist = _twist(robot, [robot_alone(robot, one, scene, np.zeros(6), options) for one in seen])
    images = [robot_alone(robot, one, scene, twist, options) for one in seen]
    errors = held_out_errors(robot.splats, robot.links, images, own_exposure=True)
    lights = light_beside_fit(robot, images)
    known = lights[np.isfinite(lights)]
    return LearntView(scene, twist, errors.links, float(np.median(known)) if len(known) else 0.0)


def robot_alone(
    robot: SplatRobot,
    one: SeenImage,
    scene: EmptyScene | None,
    twist: Array,
    options: MaskingOptions,
) -> PosedImage:
    """Return the image of the robot alone, cropped, of a camera that is moved by a twist (6,)."""
    camera = moved_camera(one.image.camera, twist)
    image = masked(one.image, robot.draw(one.free, camera).pixels, scene, options)
    return cropped(replace(image, camera=camera))


def shown(robot: SplatRobot, one: SeenImage) -> NDArray[np.bool_]:
    """Return (H, W) where the robot is predicted."""
    return np.asarray(robot.draw(one.free, one.image.camera).pixels[..., 3] < 1 - HALF)


def light_beside_fit(robot: SplatRobot, images: Sequence[PosedImage]) -> Array:
    """Return (F,) by how much the light differs from the fit's; NaN where that is not seen."""
    return light_changes(robot.splats, robot.links, images)[:, 1]


def small_image(image: RobotImage, poses: Array, width: int) -> PosedImage:
    """Return an image with all its colours, halved until it is no wider than `width` pixels."""
    color = image.color.astype(np.float32) / np.float32(255)
    small = PosedImage(image.camera, poses, color, np.ones(color.shape[:2], np.float32))
    while small.camera.width > width:
        small = small.halved()
    return small


def _twist(robot: SplatRobot, images: Sequence[PosedImage]) -> Array:
    """Return by how much a camera's pose is off, as the median of its images has it."""
    options = CameraOptions()

    def twist(image: PosedImage) -> Array:
        gaussians = posed(robot.splats, robot.links, image.poses)
        return refined_camera(gaussians, image, np.zeros(6), options, own_exposure=True)

    return np.asarray(np.median(on_all_cores(twist, images), axis=0))
