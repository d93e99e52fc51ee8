"""Joint angles of a result folder's robot from images of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.pose.estimate_pose import (
    ExpectedErrors,
    PoseEstimate,
    estimate_pose,
)
from autourdf_ros.estimation.appearance.pose.pose_options import PoseOptions
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.result_files import result_document
from autourdf_ros.progress import Progress, silent
from autourdf_ros.workflows.appearance.image_poses import configured_values, masked_image
from autourdf_ros.workflows.appearance.splat_result import SECTION, read_result_splats

_MARGIN = 3.0
"""dB and (of 100) share of the overlap below the means that are expected of folders whose fit did
not state the least values."""
_EVEN, _NEAR = 0.5, 24
"""Share of an image's border that a background of one colour fills, and its greatest difference
from the colour, of 255."""


def splat_robot(folder: Path) -> SplatRobot:
    """Return the robot of a result folder with its splats.

    Raises:
        InputError: The folder has no splats, or is damaged.
    """
    tree = read_self_model(folder).tree
    splats, links = read_result_splats(folder)
    return SplatRobot(tree, link_frames(tree), splats, links)


def robot_pose(
    folder: Path,
    images: RobotImages,
    start: Mapping[str, float] | None = None,
    options: PoseOptions = PoseOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> PoseEstimate:
    """Find the joint values that images of one configuration show.

    Args:
        folder: Result folder with splats.
        images: Of its robot in its base frame; joint positions in them are not used.
        start: Values by name of a joint or motor, near which the robot is; or None.
        options: All constants.
        progress: Is called with stage and fraction, and may raise to cancel.

    Raises:
        InputError: The folder has no splats, a joint is unknown, or an image has neither a mask nor
            a background of one colour.
    """
    robot = splat_robot(folder)
    begin = None
    if start:
        model = read_self_model(folder)
        begin = configured_values(model, start, "--start")[robot.free]
    nowhere = np.tile(np.eye(4), (len(robot.tree.links), 1, 1))
    posed = [
        _black_around(image, number, nowhere, str(images.source))
        for number, image in enumerate(images.images)
    ]
    return estimate_pose(robot, posed, expected_errors(folder), options, begin, progress)


def expected_errors(folder: Path) -> ExpectedErrors:
    """Return how well held-out images of a folder's fit were drawn.

    Raises:
        InputError: The document does not say so.
    """
    section: Any = result_document(folder).get(SECTION, {})
    if section.get("least_robot_psnr") is not None:
        return ExpectedErrors(section["least_robot_psnr"], section["least_mask_overlap"])
    return ExpectedErrors(section["robot_psnr"] - _MARGIN, section["mask_overlap"] - _MARGIN / 100)


def _black_around(
    image: RobotImage, number: int, poses: NDArray[np.float64], source: str
) -> PosedImage:
    """Return an image, black around the robot; without a mask, its background has one colour."""
    if image.mask is None:
        image = replace(image, mask=even_background(image.color, f"{source}: frame {number}"))
    return masked_image(image, poses)


def even_background(pixels: NDArray[np.uint8], source: str) -> NDArray[np.uint8]:
    """Return the mask (H, W), of 255, of what is before a background of one colour.

    Args:
        pixels: (H, W, 3) of an image.
        source: Of it, for the error.

    Raises:
        InputError: Less than half of the image's border has one colour.
    """
    color = pixels.astype(int)
    border = np.concatenate([color[0], color[-1], color[:, 0], color[:, -1]])
    behind = np.median(border, axis=0)
    even = np.abs(border - behind).max(axis=1) <= _NEAR
    if even.mean() < _EVEN:
        raise InputError(
            f"{source} has no mask, and only {even.mean():.0%} of its border has "
            "one colour; accepted are images with mask_path, white where the robot is, or with a "
            "background of one colour"
        )
    return (np.abs(color - behind).max(axis=2) > _NEAR).astype(np.uint8) * np.uint8(255)
