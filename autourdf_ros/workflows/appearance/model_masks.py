"""Masks of images by the model: where its meshes are, unless a depth image shows something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.workflows.appearance.image_poses import configured_poses
from autourdf_ros.workflows.appearance.link_surfaces import visual_mesh
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

TOLERANCE = 0.03
"""Difference (m) between a recorded depth and the model's from which a pixel shows another thing:
what is before the robot, or what is behind a part that the model has too large."""


def with_model_masks(folder: Path, model: SelfModel, images: RobotImages) -> RobotImages:
    """Return the images; those without a mask get that of the model's meshes.

    Args:
        folder: Result folder.
        model: Of it.
        images: Of its robot, in its base frame.

    Raises:
        InputError: No link has a visual mesh, or the images name no joint or motor of the model.
    """
    meshes = {name: visual_mesh(folder, name) for name in model.tree.links}
    shown = [number for number, mesh in enumerate(meshes.values()) if mesh is not None]
    if not shown:
        raise InputError(f"{folder}: no link has a visual mesh; accepted is one with meshes")
    own = [mesh for mesh in meshes.values() if mesh is not None]

    def masked(image: RobotImage) -> RobotImage:
        if image.mask is not None:
            return image
        poses = configured_poses(model, image.joint_positions, str(images.source))
        return replace(image, mask=_mask(DepthPainter(image.camera, own), poses[shown], image))

    return replace(images, images=tuple(on_all_cores(masked, images.images)))


def _mask(painter: DepthPainter, poses: Array, image: RobotImage) -> NDArray[np.uint8]:
    drawn = painter.depth(poses)
    mask = np.isfinite(drawn)
    if image.depth is not None:
        mask &= ~(np.abs(image.depth - drawn) > TOLERANCE)  # where none was measured, it stays
    return mask.astype(np.uint8) * np.uint8(255)
