"""What images without poses show of a result folder's robot: its masks, and how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.unposed.unposed_images import UnposedImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.cameras.robot_alignment import RobotViews
from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.result_files import result_document
from autourdf_ros.workflows.appearance.image_poses import configured_poses, lost_motors
from autourdf_ros.workflows.appearance.link_surfaces import spread_surfaces, visual_mesh
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

_POINTS = 400  # on the robot's surface, for its middle and size


def robot_views(
    result: Path, images: UnposedImages, cameras: Mapping[int, PinholeCamera]
) -> RobotViews:
    """Return what the images with a camera show of the robot.

    Args:
        result: Its folder.
        images: All images.
        cameras: By number of the image, in the scene.

    Raises:
        InputError: The folder is none or has no meshes, an image has no mask, or its joint
            positions are not those of the model.
    """
    document = result_document(result)
    model = read_self_model(result)
    lost = lost_motors(document)
    numbers = sorted(cameras)
    chosen = [images.images[number] for number in numbers]
    bare = [image.name for image in chosen if image.mask is None]
    if bare:
        raise InputError(
            f"{images.file.path}: {bare[0]} has no mask_path; accepted with a model are images "
            "with masks, white where the robot is, by which it is found in them"
        )
    found = {name: visual_mesh(result, name) for name in model.tree.links}
    meshes = {name: mesh for name, mesh in found.items() if mesh is not None}
    if not meshes:
        raise InputError(f"{result}: no link has a visual mesh; accepted is one with meshes")
    shown = [number for number, name in enumerate(model.tree.links) if name in meshes]
    poses = np.array(
        [
            configured_poses(
                model,
                {name: at for name, at in image.joint_positions.items() if name not in lost},
                str(images.file.path),
            )
            for image in chosen
        ]
    )
    surfaces = spread_surfaces(meshes, model.tree.links, _POINTS)
    points = transform(poses[:, surfaces.links], surfaces.points[None])
    painters: dict[tuple[object, ...], DepthPainter] = {}

    def draw(number: int, camera: PinholeCamera) -> NDArray[np.float32]:
        # Bodies move instead of the camera, so that one painter serves all images of a lens.
        lens = (camera.width, camera.height, camera.focal, camera.principal)
        if lens not in painters:
            painters[lens] = DepthPainter(replace(camera, pose=np.eye(4)), [*meshes.values()])
        return painters[lens].depth(inverse(camera.pose) @ poses[number, shown])

    masks = [
        np.asarray(image.mask, np.float32) / np.float32(255)
        for image in chosen
        if image.mask is not None
    ]
    return RobotViews([cameras[number] for number in numbers], masks, points, draw)
