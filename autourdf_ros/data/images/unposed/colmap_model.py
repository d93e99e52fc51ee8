"""Reads cameras that COLMAP found: cameras.txt, images.txt and points3D.txt.

https://colmap.github.io/format.html#text-format: poses bring points of the world into the optical
frame, quaternions begin with the real part, and pixel centres lie at half coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.image_files import check_file
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.transforms_file import PIXEL_CENTRE
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array

CAMERAS, IMAGES, POINTS = "cameras.txt", "images.txt", "points3D.txt"
_ACCEPTED = (
    f"accepted is a folder with COLMAP's {CAMERAS}, {IMAGES} and {POINTS}, as "
    "`colmap model_converter --output_type TXT` writes them"
)
_FOCALS = {"SIMPLE_PINHOLE": 1, "PINHOLE": 2, "SIMPLE_RADIAL": 1, "RADIAL": 1, "OPENCV": 2}
"""How many focal lengths a model's parameters begin with; a principal point follows, and what
distorts."""


@dataclass(frozen=True)
class ColmapModel:
    """What COLMAP found, in its own unit of length and its own world.

    Attributes:
        cameras: By name of the image.
        points: (N, 3) of the scene.
        error: Root mean square, over the observations of all points, of each point's mean distance
            between where it is seen and where it projects to (pixels); NaN without points.
    """

    cameras: dict[str, PinholeCamera]
    points: Array
    error: float


def read_colmap(folder: Path) -> ColmapModel:
    """Return what a folder holds.

    Raises:
        InputError: names the file and line, the value found, and what is accepted.
    """
    lenses = {}
    for line, words in _rows(folder / CAMERAS):
        lenses[words[0]] = _lens(folder / CAMERAS, line, words)
    found: dict[str, PinholeCamera] = {}
    # Every other line lists points of the image; it is empty where there is none.
    for line, words in list(_rows(folder / IMAGES, blank=True))[::2]:
        name, camera = _camera(folder / IMAGES, line, words, lenses)
        found[name] = camera
    if not found:
        raise InputError(f"{folder / IMAGES}: has no image; {_ACCEPTED}")
    points, errors, counts = [], [], []
    for line, words in _rows(folder / POINTS):
        values = _numbers(folder / POINTS, line, words[1:8], 7)
        points.append(values[:3])
        errors.append(values[6])
        counts.append(max(1, (len(words) - 8) // 2))
    error = np.sqrt(np.average(np.square(errors), weights=counts)) if points else np.nan
    return ColmapModel(found, np.array(points).reshape(-1, 3), float(error))


def _rows(path: Path, blank: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield numbers and words of the lines that are no comment; of those without words if asked."""
    check_file(path, _ACCEPTED)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); {_ACCEPTED}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#") and (blank or line.strip()):
            yield number, line.split()


def _numbers(path: Path, line: int, words: list[str], count: int) -> list[float]:
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise InputError(
            f"{path}: line {line} has {' '.join(words)[:60]!r}; accepted are {count} numbers there"
        )
    return values


def _lens(path: Path, line: int, words: list[str]) -> PinholeCamera:
    model = words[1] if len(words) > 1 else "(none)"
    if model not in _FOCALS:
        raise InputError(
            f"{path}: line {line}: camera model {model}; accepted are {', '.join(_FOCALS)}"
        )
    width, height = _numbers(path, line, words[2:4], 2)
    count = _FOCALS[model]
    values = _numbers(path, line, words[4:], max(count + 2, len(words) - 4))
    if any(values[count + 2 :]):
        raise InputError(
            f"{path}: line {line}: the lens has a distortion of {values[count + 2 :]}; accepted is "
            "none: rectified images, as `colmap image_undistorter` writes them"
        )
    middle = values[count] - PIXEL_CENTRE, values[count + 1] - PIXEL_CENTRE
    focal = values[0], values[count - 1]
    return _named(path, line, (int(width), int(height)), focal, middle, np.eye(4))


def _camera(
    path: Path, line: int, words: list[str], lenses: dict[str, PinholeCamera]
) -> tuple[str, PinholeCamera]:
    values = _numbers(path, line, words[1:8], 7)
    if len(words) < 10 or words[8] not in lenses:
        raise InputError(
            f"{path}: line {line}: camera {' '.join(words[8:9]) or '(none)'}; accepted are those "
            f"of {CAMERAS}: {', '.join(lenses) or '(none)'}, and a name of the image after it"
        )
    if not np.linalg.norm(values[:4]) > 0:
        raise InputError(f"{path}: line {line}: the quaternion is 0; accepted is a rotation")
    turn = Rotation.from_quat(np.roll(values[:4], -1)).as_matrix().T
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, -turn @ values[4:7]
    lens = lenses[words[8]]
    size = lens.width, lens.height
    return " ".join(words[9:]), _named(path, line, size, lens.focal, lens.principal, pose)


def _named(
    path: Path,
    line: int,
    size: tuple[int, int],
    focal: tuple[float, float],
    principal: tuple[float, float],
    pose: Array,
) -> PinholeCamera:
    try:
        return PinholeCamera(*size, focal, principal, pose)
    except InputError as error:
        raise InputError(f"{path}: line {line}: {error}") from error
