"""`transforms.json` of nerfstudio: cameras and image files, checked as they are read.

https://docs.nerf.studio/quickstart/data_conventions.html: camera axes are those of OpenGL (x right,
y up, z backward), and pixel centres lie at half coordinates.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.image_files import check_file, read_depth_image, read_pixels
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]
Entry = dict[str, Any]

TRANSFORMS_FILE = "transforms.json"
OPENGL = np.diag([1.0, -1.0, -1.0, 1.0])
"""Brings points along OpenGL's camera axes into the optical frame, and back."""

PIXEL_CENTRE = 0.5  # of the first pixel in nerfstudio's coordinates; 0 in ours and in ROS
COLOR, DEPTH = "file_path", "depth_file_path"
DEPTH_UNIT = 1e-3  # m of 1 in a depth image: nerfstudio's default
DISTORTION = ("k1", "k2", "k3", "k4", "p1", "p2")
LENS = ("fl_x", "fl_y", "cx", "cy", "w", "h", *DISTORTION)


@dataclass(frozen=True)
class TransformsFile:
    """What the file holds, and how it is read.

    Attributes:
        path: Of the file.
        entries: At its top.
        frames: One entry an image, at least one.
        accepted: What a file holds that is accepted, for errors.
    """

    path: Path
    entries: Entry
    frames: list[Entry]
    accepted: str

    @classmethod
    def read(cls, folder: Path, accepted: str) -> TransformsFile:
        """Return the file of a folder.

        Raises:
            InputError: names the file, the value found, and what is accepted.
        """
        path = folder / TRANSFORMS_FILE
        check_file(path, accepted)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{path}: cannot be read as JSON ({error}); {accepted}") from error
        if not isinstance(found, dict):
            raise InputError(f"{path}: holds {short(found)}; {accepted}")
        frames = found.get("frames")
        if not isinstance(frames, list) or not all(isinstance(frame, dict) for frame in frames):
            raise InputError(f"{path}: 'frames' is {short(frames)}; {accepted}")
        return cls(path, found, frames, accepted)

    def number(self, entry: Entry, name: str, default: float | None = None) -> float:
        """Return a number above 0 of an entry, or any time.

        Raises:
            InputError: it is missing and has no default, or is none.
        """
        value = entry.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
            raise InputError(f"{self.path}: {name} is {short(value)}; accepted is a number")
        if value <= 0 and name != "time":
            raise InputError(f"{self.path}: {name} is {value}; accepted is a number above 0")
        return float(value)

    def camera(self, entry: Entry, pose: Array) -> PinholeCamera:
        """Return the camera of an entry that holds its lens.

        Args:
            entry: With the keys LENS.
            pose: (4, 4) of the optical frame.

        Raises:
            InputError: a number is missing, or the lens has a distortion.
        """
        for name in DISTORTION:
            if entry.get(name):
                raise InputError(
                    f"{self.path}: {name} is {short(entry[name])}; accepted is 0: rectified images"
                )
        size = int(self.number(entry, "w")), int(self.number(entry, "h"))
        focal = self.number(entry, "fl_x")
        focals = focal, self.number(entry, "fl_y", focal)
        middle = [self.number(entry, name) - PIXEL_CENTRE for name in ("cx", "cy")]
        return PinholeCamera(*size, focals, (middle[0], middle[1]), pose)

    def pose(self, number: int) -> Array:
        """Return the pose (4, 4) of a frame's optical frame in the world.

        Raises:
            InputError: it is no rigid motion.
        """
        given = self.frames[number].get("transform_matrix")
        if given is None:
            raise InputError(
                f"{self.path}: transform_matrix of frame {number} is missing; accepted are 4 rows "
                "of 4 numbers; `autourdf cameras` finds the poses of cameras in the images"
            )
        try:
            matrix = np.array(given, float)
        except (TypeError, ValueError):
            matrix = np.empty(0)
        if matrix.shape not in ((4, 4), (3, 4)) or not np.isfinite(matrix).all():
            raise InputError(
                f"{self.path}: transform_matrix of frame {number} is {short(given)}; accepted are "
                "4 rows of 4 numbers"
            )
        turn = matrix[:3, :3]
        if not (np.allclose(turn @ turn.T, np.eye(3), atol=1e-3) and np.linalg.det(turn) > 0):
            raise InputError(
                f"{self.path}: transform_matrix of frame {number} is no rotation; accepted is a "
                "pose without scale or reflection"
            )
        pose = np.eye(4)
        pose[:3] = matrix[:3]
        return np.asarray(pose @ OPENGL)

    def file(self, number: int, kind: str) -> Path:
        """Return the path of a frame's image, which must lie in the folder.

        Raises:
            InputError: it is none, or lies elsewhere.
        """
        folder, given = self.path.parent, self.frames[number].get(kind)
        if not isinstance(given, str) or not given or "\0" in given:
            raise InputError(
                f"{self.path}: {kind} of frame {number} is {short(given)}; accepted: a file"
            )
        file = folder / given
        if not file.resolve().is_relative_to(folder.resolve()):
            raise InputError(
                f"{self.path}: {kind} of frame {number} is {given!r}; accepted are files in "
                f"{folder}"
            )
        return file

    def depth(self, number: int, size: tuple[int, int]) -> NDArray[np.float32]:
        """Return the depths (H, W) of a frame in metres, NaN where none."""
        unit = self.number(self.entries, "depth_unit_scale_factor", DEPTH_UNIT)
        return read_depth_image(self.file(number, DEPTH), size, unit)

    def color(self, number: int, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the colours (H, W, 3) of a frame."""
        path = self.file(number, COLOR)
        pixels = read_pixels(path, size)
        shown = pixels if pixels.ndim == 3 else np.repeat(pixels[..., None], 3, axis=2)
        if shown.dtype != np.uint8:
            raise InputError(f"{path}: colours of type {shown.dtype}; accepted are 8 bits")
        return shown


def short(value: Any) -> str:
    """Return a value for an error, in one line."""
    text = "missing" if value is None else repr(value)
    return text if len(text) < 80 else text[:77] + "..."
