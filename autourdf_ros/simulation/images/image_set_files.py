"""Writes simulated images to disk as a user's would be, with the robot beside them."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.data.images.image_folder import write_image_folder
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.simulation.images.robot_copy import copy_robot


def refuse_used(out: Path) -> None:
    """Raise InputError where `out` is not empty, before images are drawn for it."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; images need a new one")


def write_image_set(images: RobotImages, urdf: Path, out: Path) -> None:
    """Write images, `transforms.json` and the robot with its meshes to the new folder `out`.

    Raises:
        InputError: `out` is not empty, or a mesh is missing.
    """
    refuse_used(out)
    with replacing(out) as folder:
        write_image_folder(images, folder)
        copy_robot(urdf, folder)
