"""Writes simulated images to disk as a user's would be, with the robot beside them."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.data.images.image_folder import write_image_folder
from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.data.images.transforms_file import OPENGL
from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.image_noise import ImageNoise, with_noise
from autourdf_ros.simulation.images.robot_copy import copy_robot
from autourdf_ros.simulation.truth_file import TRUTH_FILE, truth_of, write_truth


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


def write_noisy_image_set(
    images: RobotImages, robot: SimulatedRobot, noise: ImageNoise, seed: int, out: Path
) -> None:
    """Write images with noise as `write_image_set` does, and what is true beside them.

    `truth.json` holds the robot at its neutral configuration, and of every image the camera's true
    pose (OpenGL's axes, as in `transforms.json`), the true joint positions and the exposure.

    Args:
        images: Without noise.
        robot: That they show.
        noise: How much.
        seed: Of the noise.
        out: New folder.

    Raises:
        InputError: As `write_image_set`.
    """
    refuse_used(out)
    noisy = with_noise(images, robot, noise, seed)
    true = [
        {
            "transform_matrix": (image.camera.pose @ OPENGL).tolist(),
            "joint_positions": dict(image.joint_positions),
            "exposure": float(factor),
        }
        for image, factor in zip(images.images, noisy.exposures, strict=True)
    ]
    with replacing(out) as folder:
        write_image_folder(noisy.images, folder)
        copy_robot(robot.urdf, folder)
        write_truth(truth_of(robot, robot.neutral) | {"images": true}, folder / TRUTH_FILE)
