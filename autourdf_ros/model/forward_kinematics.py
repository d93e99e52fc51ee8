"""Where the links of a `RobotModel` are: forward kinematics by the product of exponentials.

Source: Lynch and Park, Modern Robotics, ch. 4 (space form). The home configuration of the
formula is the reference configuration of the model.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autourdf_ros.model.robot_model import Joint, RobotModel


def joint_motion(joint: Joint, values: ArrayLike) -> NDArray[np.float64]:
    """Motions of the child for joint values of shape (...): (..., 4, 4), base frame.

    The identity at the joint's reference value; parents are held at the reference configuration.
    """
    travel = np.asarray(values, float)[..., None, None] - joint.reference
    motion = np.broadcast_to(np.eye(4), (*travel.shape[:-2], 4, 4)).copy()
    axis = np.asarray(joint.axis, float)
    if joint.type == "prismatic":
        motion[..., :3, 3] = travel[..., 0] * axis
    elif joint.type != "fixed":
        cross = np.cross(np.eye(3), axis)
        rotation = np.eye(3) + np.sin(travel) * cross + (1 - np.cos(travel)) * (cross @ cross)
        motion[..., :3, :3] = rotation
        motion[..., :3, 3] = joint.point - rotation @ joint.point
    return motion


def link_motions(model: RobotModel, values: ArrayLike) -> NDArray[np.float64]:
    """Motion of every link since the reference configuration.

    values: (..., J) joint values in the model's order. Returns (..., L, 4, 4) in the base frame,
    in the order of the model's links: it maps a point of the reference cloud to where it goes.
    """
    values = np.asarray(values, float)
    inward = {joint.child: (joint, index) for index, joint in enumerate(model.joints)}
    motions: dict[str, NDArray[np.float64]] = {}
    for link in model.links:
        if link.name in inward:
            joint, index = inward[link.name]
            motions[link.name] = motions[joint.parent] @ joint_motion(joint, values[..., index])
        else:
            motions[link.name] = np.broadcast_to(np.eye(4), (*values.shape[:-1], 4, 4))
    return np.stack([motions[link.name] for link in model.links], axis=-3)


def link_frames(model: RobotModel) -> NDArray[np.float64]:
    """Frame of every link at the reference configuration: (L, 4, 4), base frame.

    Its origin is the point of the joint that moves the link. With every joint at zero all frames
    are parallel to the base frame, so that the URDF needs no rotated origins. The root link's
    frame is the base frame.
    """
    origins = {joint.child: joint.point for joint in model.joints}
    frames = np.tile(np.eye(4), (len(model.links), 1, 1))
    to_zero = link_motions(model, np.zeros(len(model.joints)))[:, :3, :3]
    frames[:, :3, :3] = to_zero.swapaxes(1, 2)
    frames[:, :3, 3] = [origins.get(link.name, np.zeros(3)) for link in model.links]
    return frames


def link_poses(model: RobotModel, values: ArrayLike) -> NDArray[np.float64]:
    """Pose of every link's frame: (..., L, 4, 4), base frame, for (..., J) joint values."""
    return link_motions(model, values) @ link_frames(model)


def configuration(model: RobotModel, values: Mapping[str, float]) -> NDArray[np.float64]:
    """Joint values (J,) in the model's order; joints that are not named stand at reference."""
    return np.array([values.get(joint.name, joint.reference) for joint in model.joints], float)
