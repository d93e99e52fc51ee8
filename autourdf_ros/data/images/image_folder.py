"""Reads and writes a folder of images of a robot with `transforms.json` and joint positions.

nerfstudio's convention, in which the camera may move and have another lens in every frame; beside
its keys every frame has `joint_positions`, an object of numbers by joint name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.data.images.frame_entries import (
    ACCEPTED,
    JOINTS,
    MASK,
    check_memory,
    given_notes,
    joint_positions,
    read_mask,
)
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.data.images.transforms_file import (
    COLOR,
    DEPTH,
    LENS,
    OPENGL,
    PIXEL_CENTRE,
    TRANSFORMS_FILE,
    TransformsFile,
)
from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.progress import Progress, silent

DEPTH_STEP = 1e-4
"""Metres of 1 in the depth images that are written: 0.1 mm, up to 6.5 m."""


def read_image_folder(
    folder: Path, progress: Progress = silent, *, joints: bool = True
) -> RobotImages:
    """Return the images of a folder.

    Args:
        folder: With `transforms.json`.
        progress: Is called with stage and fraction.
        joints: Whether every frame must have the joints' positions; else, where the first has none,
            none has.

    Raises:
        InputError: names the file or key, the value found, and what is accepted.
    """
    found = TransformsFile.read(folder, ACCEPTED)
    if not found.frames:
        raise InputError(f"{found.path}: has no frames; {ACCEPTED}")
    images: list[RobotImage] = []
    used = 0
    for number, frame in enumerate(found.frames):
        progress("reading images", number / len(found.frames))
        lens = {name: found.entries[name] for name in LENS if name in found.entries} | frame
        camera = found.camera(lens, found.pose(number))
        size = camera.width, camera.height
        used = check_memory(found, size, used)
        positions = (
            joint_positions(found, number, images[0].joint_positions if images else None)
            if joints or JOINTS in found.frames[0]
            else {}
        )
        images.append(
            RobotImage(
                camera,
                found.color(number, size),
                positions,
                read_mask(found, number, size) if MASK in frame else None,
                found.depth(number, size) if DEPTH in frame else None,
            )
        )
    return RobotImages(tuple(images), folder, given_notes(found))


def write_image_folder(images: RobotImages, folder: Path) -> None:
    """Write images and `transforms.json` to an existing folder."""
    frames = [write_frame(image, folder, number) for number, image in enumerate(images.images)]
    write_frames(frames, folder)


def write_frame(image: RobotImage, folder: Path, number: int) -> dict[str, Any]:
    """Write the files of an image, and return its entry in `transforms.json`."""
    frame = lens_entries(image.camera) | {
        "transform_matrix": (image.camera.pose @ OPENGL).tolist(),
        JOINTS: dict(image.joint_positions),
    }
    for key, name, pixels in (
        (COLOR, "color", image.color),
        (MASK, "mask", image.mask),
        (DEPTH, "depth", _steps(image.depth)),
    ):
        if pixels is not None:
            frame[key] = f"{name}/{number:06d}.png"
            file = folder / f"{name}/{number:06d}.png"
            file.parent.mkdir(exist_ok=True)
            Image.fromarray(pixels).save(file, compress_level=1)
    return frame


def write_frames(frames: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write `transforms.json` of the entries of frames, whole or not at all."""
    content = {
        "camera_model": "OPENCV",
        "depth_unit_scale_factor": DEPTH_STEP,
        "frames": list(frames),
    }
    replace_text(folder / TRANSFORMS_FILE, json.dumps(content, indent=1))


def lens_entries(camera: PinholeCamera) -> dict[str, Any]:
    """Return the entries of a frame's lens."""
    return {
        "w": camera.width,
        "h": camera.height,
        "fl_x": camera.focal[0],
        "fl_y": camera.focal[1],
        "cx": camera.principal[0] + PIXEL_CENTRE,
        "cy": camera.principal[1] + PIXEL_CENTRE,
    }


def _steps(depth: NDArray[np.float32] | None) -> NDArray[np.uint16] | None:
    if depth is None:
        return None
    steps = np.round(np.nan_to_num(depth.astype(np.float64)) / DEPTH_STEP)
    return np.where(steps <= np.iinfo(np.uint16).max, steps, 0).astype(np.uint16)
