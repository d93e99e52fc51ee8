"""Where the links of a model stand in every image of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.joints.image_joints import ImageJoints
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.forward_kinematics import configuration, link_poses
from autourdf_ros.model.result_files import IMAGES_ALONE
from autourdf_ros.model.self_model import SelfModel

_WHITE = np.float32(255)


def posed_images(model: SelfModel, images: RobotImages) -> list[PosedImage]:
    """Return the images with the poses of the model's links, black where the robot is not.

    Raises:
        InputError: An image has no mask, or the images name no joint or motor of the model.
    """
    for number, image in enumerate(images.images):
        if image.mask is None:
            raise InputError(
                f"{images.source}: frame {number} has no mask; accepted are images with mask_path, "
                "white where the robot is, or masks by the model"
            )
    return [
        masked_image(image, configured_poses(model, image.joint_positions, str(images.source)))
        for image in images.images
    ]


def without_lost_motors(document: Mapping[str, Any], images: RobotImages) -> RobotImages:
    """Return the images without the positions of motors of which the model's images show nothing.

    Args:
        document: Content of the model's reconstruction.json.
        images: Of its robot.
    """
    lost = lost_motors(document)
    return replace(
        images,
        images=tuple(
            replace(
                one,
                joint_positions={n: v for n, v in one.joint_positions.items() if n not in lost},
            )
            for one in images.images
        ),
    )


def lost_motors(document: Mapping[str, Any]) -> set[str]:
    """Return the motors of which a model's own images showed nothing."""
    groups = document.get(IMAGES_ALONE, {}).get("lost_motors", ())
    return {name for group in groups for name in group}


def image_joints(model: SelfModel, images: RobotImages) -> ImageJoints:
    """Return the model's joints with their values in the images.

    Raises:
        InputError: The images name no joint or motor of the model.
    """
    values = [
        configured_values(model, image.joint_positions, str(images.source))
        for image in images.images
    ]
    return ImageJoints(model.tree, np.array(values))


def configured_poses(model: SelfModel, positions: Mapping[str, float], source: str) -> Array:
    """Return the poses (L, 4, 4) of a model's links in the base frame, as `configured_values`."""
    return link_poses(model.tree, configured_values(model, positions, source))


def configured_values(model: SelfModel, positions: Mapping[str, float], source: str) -> Array:
    """Return the values (J,) of a model's joints.

    Args:
        model: The model.
        positions: By name of a joint or of its motor (rad or m); others stand at their reference.
        source: Where the positions come from, for errors.

    Raises:
        InputError: No joint is named, or a name is unknown.
    """
    estimates = {} if model.kinematics is None else model.kinematics.joints
    motors = {
        one.motor.name: (name, one.motor)
        for name, one in estimates.items()
        if one.motor is not None and one.motor.ratio != 0
    }
    values = {}
    for name, position in positions.items():
        if name in model.tree.joint_names:
            values[name] = position
        elif name in motors:
            joint, motor = motors[name]
            values[joint] = (position - motor.offset) / motor.ratio
        else:
            known = [*model.tree.joint_names, *motors]
            raise InputError(
                f"{source}: joint {name!r} is none of the model; accepted are "
                f"{', '.join(dict.fromkeys(known))}"
            )
    for one in model.tree.joints:
        if one.mimic is not None and one.mimic.joint in values:
            follows = one.mimic.multiplier * values[one.mimic.joint] + one.mimic.offset
            values.setdefault(one.name, follows)
    return configuration(model.tree, values)


def joint_names(model: SelfModel) -> list[tuple[str, ...]]:
    """Return the names that a joint state may give each joint that follows no other."""
    estimates = {} if model.kinematics is None else model.kinematics.joints
    names = []
    for joint in model.tree.joints:
        if joint.mimic is None:
            estimate = estimates.get(joint.name)
            motor = None if estimate is None else estimate.motor
            names.append((*((motor.name,) if motor is not None else ()), joint.name))
    return names


def masked_image(image: RobotImage, poses: Array) -> PosedImage:
    """Return an image that has a mask with its links' poses (L, 4, 4), black around the robot."""
    assert image.mask is not None
    mask = image.mask.astype(np.float32) / _WHITE
    color = image.color.astype(np.float32) / _WHITE * mask[..., None]
    return PosedImage(image.camera, poses, color, mask)
