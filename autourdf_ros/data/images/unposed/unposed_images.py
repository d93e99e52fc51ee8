"""Reads a folder of images of a robot whose cameras' poses are unknown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.frame_entries import (
    ACCEPTED,
    JOINTS,
    MASK,
    check_memory,
    joint_positions,
    read_mask,
)
from autourdf_ros.data.images.image_files import image_size
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.transforms_file import COLOR, LENS, TransformsFile, short
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent

CAMERA = "camera"
"""Key of a frame: name of the camera that took it and that stands still."""


@dataclass(frozen=True)
class UnposedImage:
    """One image.

    Attributes:
        name: Its file, as `transforms.json` names it.
        camera: Name of the camera that took it, which stands still; or None.
        lens: With the pose 1; None where it is unknown.
        color: (H, W, 3) uint8 RGB.
        joint_positions: By joint name, rad or m; empty where there are none.
        mask: (H, W) uint8 share of a pixel that shows the robot, of 255; or None.
    """

    name: str
    camera: str | None
    lens: PinholeCamera | None
    color: NDArray[np.uint8]
    joint_positions: dict[str, float]
    mask: NDArray[np.uint8] | None

    @property
    def view(self) -> str:
        """Name of what all images from one place have in common: camera, or else the file."""
        return self.name if self.camera is None else self.camera


@dataclass(frozen=True)
class UnposedImages:
    """All images, and the file that lists them."""

    file: TransformsFile
    images: tuple[UnposedImage, ...]

    @property
    def views(self) -> dict[str, list[int]]:
        """Numbers of the images from each place, by its name."""
        found: dict[str, list[int]] = {}
        for number, image in enumerate(self.images):
            found.setdefault(image.view, []).append(number)
        return found


def read_unposed_images(folder: Path, progress: Progress = silent) -> UnposedImages:
    """Return the images of a folder; poses that its file has are not read.

    Args:
        folder: With `transforms.json`, whose frames need neither `transform_matrix` nor a lens.
        progress: Is called with stage and fraction.

    Raises:
        InputError: names the file or key, the value found, and what is accepted.
    """
    found = TransformsFile.read(folder, ACCEPTED)
    if len(found.frames) < 2:
        raise InputError(
            f"{found.path}: has {len(found.frames)} frames; accepted are 2 or more, from which "
            "cameras can be found"
        )
    images: list[UnposedImage] = []
    used = 0
    first: dict[str, float] | None = None
    for number, frame in enumerate(found.frames):
        progress("reading images", number / len(found.frames))
        entries = {name: found.entries[name] for name in LENS if name in found.entries} | frame
        lens = None if entries.get("fl_x") is None else found.camera(entries, np.eye(4))
        size = image_size(found.file(number, COLOR)) if lens is None else (lens.width, lens.height)
        used = check_memory(found, size, used)
        positions = {}
        if JOINTS in found.frames[0]:
            positions = joint_positions(found, number, first)
            first = positions if first is None else first
        images.append(
            UnposedImage(
                str(frame.get(COLOR)),
                _camera(found, number),
                lens,
                found.color(number, size),
                positions,
                read_mask(found, number, size) if MASK in frame else None,
            )
        )
    names = [image.name for image in images]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{found.path}: two frames have the file {twice!r}; accepted is one")
    if len({image.lens is None for image in images}) > 1:
        number = next(number for number, image in enumerate(images) if image.lens is None)
        raise InputError(
            f"{found.path}: fl_x of frame {number} is missing; accepted are lenses of all frames, "
            "or of none, which are found then"
        )
    return UnposedImages(found, tuple(images))


def _camera(found: TransformsFile, number: int) -> str | None:
    given = found.frames[number].get(CAMERA)
    if given is None or (isinstance(given, str) and given):
        return given
    raise InputError(
        f"{found.path}: {CAMERA} of frame {number} is {short(given)}; accepted is the name of a "
        "camera that stands still"
    )
