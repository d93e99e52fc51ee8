"""What a frame of `transforms.json` has beside its camera: positions of the joints, and a mask."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.image_files import read_pixels
from autourdf_ros.data.images.transforms_file import (
    COLOR,
    DEPTH,
    TRANSFORMS_FILE,
    TransformsFile,
    short,
)
from autourdf_ros.errors import InputError

MASK, JOINTS = "mask_path", "joint_positions"
NOTES = "camera_notes"
"""Key of sentences about the cameras that every result of the images repeats."""

MOST_BYTES = 2**32
"""Of all decoded images together: a bound of memory."""

ACCEPTED = (
    f"accepted is a folder with nerfstudio's {TRANSFORMS_FILE}: fl_x, fl_y, cx, cy, w, h and "
    f"frames with transform_matrix, {COLOR} and {JOINTS}, maybe with {MASK} and {DEPTH}"
)
_BYTES = 8  # a pixel: colour, mask and depth


def check_memory(found: TransformsFile, size: tuple[int, int], used: int) -> int:
    """Return the bytes of all images up to one of `size`, before which they were `used`.

    Raises:
        InputError: They are too many.
    """
    used += size[0] * size[1] * _BYTES
    if used > MOST_BYTES:
        raise InputError(
            f"{found.path}: {len(found.frames)} frames of {size[0]} x {size[1]} pixels would "
            f"take more than {MOST_BYTES >> 30} GiB; accepted are fewer or smaller images"
        )
    return used


def joint_positions(
    found: TransformsFile, number: int, first: Mapping[str, float] | None
) -> dict[str, float]:
    """Return the positions of a frame's joints, which are those of the first frame.

    Raises:
        InputError: names the frame and the joint.
    """
    given = found.frames[number].get(JOINTS)
    if not isinstance(given, dict) or not given:
        raise InputError(
            f"{found.path}: {JOINTS} of frame {number} is {short(given)}; accepted are numbers by "
            "joint name (rad or m)"
        )
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e6:
            raise InputError(
                f"{found.path}: {JOINTS} of frame {number}: {name!r} is {short(value)}; accepted "
                "is a number (rad or m)"
            )
    if first is not None and set(given) != set(first):
        other = sorted(set(given) ^ set(first))
        raise InputError(
            f"{found.path}: {JOINTS} of frame {number} and of frame 0 differ in {short(other)}; "
            "accepted are the same joints in every frame"
        )
    return {name: float(value) for name, value in given.items()}


def read_mask(found: TransformsFile, number: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the mask (H, W) of a frame. Raise InputError naming its file."""
    path = found.file(number, MASK)
    pixels = read_pixels(path, size)
    if pixels.ndim != 2 or pixels.dtype.kind != "u" or pixels.dtype != np.uint8:
        raise InputError(
            f"{path}: a mask of shape {pixels.shape} and type {pixels.dtype}; accepted are grey "
            "values of 8 bits: 255 where the robot is, 0 elsewhere"
        )
    return pixels


def given_notes(found: TransformsFile) -> tuple[str, ...]:
    """Return the sentences about the cameras. Raise InputError where they are none."""
    given = found.entries.get(NOTES, [])
    if not isinstance(given, list) or not all(isinstance(note, str) for note in given):
        raise InputError(f"{found.path}: {NOTES} is {short(given)}; accepted are sentences")
    return tuple(given)
