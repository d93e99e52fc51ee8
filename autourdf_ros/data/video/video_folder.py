"""Reads a video from a folder with `transforms.json`, the convention of nerfstudio.

https://docs.nerf.studio/quickstart/data_conventions.html: camera axes are those of OpenGL (x right,
y up, z backward), and pixel centres lie at half coordinates.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo, PinholeCamera
from autourdf_ros.data.video.image_files import check_file, read_depth_image, read_pixels
from autourdf_ros.data.video.video_checks import (
    check_amount,
    check_stamps,
    check_stillness,
    checked_video,
)
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]

TRANSFORMS_FILE = "transforms.json"
OPENGL = np.diag([1.0, -1.0, -1.0, 1.0])
"""Brings points along OpenGL's camera axes into the optical frame, and back."""

PIXEL_CENTRE = 0.5  # of the first pixel in nerfstudio's coordinates; 0 in ours and in ROS
COLOR, DEPTH, MASK = "file_path", "depth_file_path", "body_mask_path"
_DEPTH_UNIT = 1e-3  # nerfstudio's default: mm
_DISTORTION = ("k1", "k2", "k3", "k4", "p1", "p2")
_ACCEPTED = (
    "accepted is nerfstudio's transforms.json: fl_x, fl_y, cx, cy, w, h and frames with "
    f"transform_matrix, time, {COLOR} and/or {DEPTH}"
)


def read_video_folder(folder: Path, progress: Progress = silent) -> CameraVideo:
    """Return the video of a folder.

    Raises:
        InputError: names the file or key, the value found, and what is accepted.
    """
    path = folder / TRANSFORMS_FILE
    check_file(path, f"accepted is a folder with {TRANSFORMS_FILE}")
    found = _read_json(path)
    frames = found.get("frames")
    if not isinstance(frames, list) or not all(isinstance(frame, dict) for frame in frames):
        raise InputError(f"{path}: 'frames' is {_short(frames)}; {_ACCEPTED}")
    common = found | {name: value for name, value in (frames or [{}])[0].items() if name in _KEYS}
    size = int(_number(path, common, "w")), int(_number(path, common, "h"))
    check_amount(str(path), len(frames), size, 8)
    kinds = [kind for kind in (COLOR, DEPTH, MASK) if any(kind in frame for frame in frames)]
    stamps = _stamps(path, found, frames)
    camera = _camera(path, common, frames, size)
    unit = _number(path, found, "depth_unit_scale_factor", _DEPTH_UNIT)
    images: dict[str, list[Any]] = {kind: [] for kind in kinds}
    for number, frame in enumerate(frames):
        progress("reading images", number / len(frames))
        for kind in kinds:
            file = _inside(folder, path, number, kind, frame.get(kind))
            images[kind].append(_image(file, kind, size, unit))
    stacked = {kind: np.stack(items) for kind, items in images.items()}
    return checked_video(
        CameraVideo(
            camera, stamps, stacked.get(DEPTH), stacked.get(COLOR), stacked.get(MASK), folder
        )
    )


_KEYS = ("fl_x", "fl_y", "cx", "cy", "w", "h", *_DISTORTION)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error}); {_ACCEPTED}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: holds {_short(found)}; {_ACCEPTED}")
    return found


def _camera(
    path: Path, common: dict[str, Any], frames: list[dict[str, Any]], size: tuple[int, int]
) -> PinholeCamera:
    for name in _DISTORTION:
        if common.get(name):
            raise InputError(
                f"{path}: {name} is {_short(common[name])}; accepted is 0: rectified images"
            )
    first = {name: common.get(name) for name in _KEYS}
    for number, frame in enumerate(frames):
        for name in _KEYS:
            if name in frame and frame[name] != first[name]:
                raise InputError(
                    f"{path}: {name} of frame {number} is {_short(frame[name])}, of frame 0 "
                    f"{_short(first[name])}; accepted is one camera"
                )
    focal = _number(path, common, "fl_x")
    focals = focal, _number(path, common, "fl_y", focal)
    middle = [_number(path, common, name) - PIXEL_CENTRE for name in ("cx", "cy")]
    poses = np.array([_pose(path, number, frame) for number, frame in enumerate(frames)])
    pose = check_stillness(str(path), poses, max(focals))
    return PinholeCamera(*size, focals, (middle[0], middle[1]), pose)


def _pose(path: Path, number: int, frame: dict[str, Any]) -> Array:
    """Return the pose (4, 4) of the optical frame."""
    try:
        matrix = np.array(frame.get("transform_matrix"), float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape not in ((4, 4), (3, 4)) or not np.isfinite(matrix).all():
        raise InputError(
            f"{path}: transform_matrix of frame {number} is "
            f"{_short(frame.get('transform_matrix'))}; accepted are 4 rows of 4 numbers"
        )
    turn = matrix[:3, :3]
    if not (np.allclose(turn @ turn.T, np.eye(3), atol=1e-3) and np.linalg.det(turn) > 0):
        raise InputError(
            f"{path}: transform_matrix of frame {number} is no rotation; accepted is a pose "
            "without scale or reflection"
        )
    pose = np.eye(4)
    pose[:3] = matrix[:3]
    return np.asarray(pose @ OPENGL)


def _stamps(path: Path, found: dict[str, Any], frames: list[dict[str, Any]]) -> Array:
    if any("time" in frame for frame in frames):
        times = np.array([_number(path, frame, "time") for frame in frames])
    else:
        times = np.arange(len(frames)) / _number(path, found, "fps")
    check_stamps(str(path), times)
    return np.asarray(times)


def _image(path: Path, kind: str, size: tuple[int, int], unit: float) -> NDArray[Any]:
    if kind == DEPTH:
        return read_depth_image(path, size, unit)
    pixels = read_pixels(path, size)
    if kind == COLOR:
        shown = pixels if pixels.ndim == 3 else np.repeat(pixels[..., None], 3, axis=2)
        if shown.dtype != np.uint8:
            raise InputError(f"{path}: colours of type {shown.dtype}; accepted are 8 bits")
        return shown
    if pixels.ndim != 2 or pixels.max(initial=0) > np.iinfo(np.uint8).max:
        raise InputError(
            f"{path}: a mask of shape {pixels.shape}, up to {pixels.max(initial=0)}; accepted are "
            "numbers of the shapes from 1, and 0, as grey values"
        )
    return pixels.astype(np.uint8)


def _inside(folder: Path, path: Path, number: int, kind: str, given: Any) -> Path:
    """Return the path of an image, which must lie in the folder."""
    if not isinstance(given, str) or not given or "\0" in given:
        raise InputError(f"{path}: {kind} of frame {number} is {_short(given)}; accepted: a file")
    file = folder / given
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"{path}: {kind} of frame {number} is {given!r}; accepted are files in {folder}"
        )
    return file


def _number(path: Path, entry: dict[str, Any], name: str, default: float | None = None) -> float:
    value = entry.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
        raise InputError(f"{path}: {name} is {_short(value)}; accepted is a number")
    if value <= 0 and name != "time":
        raise InputError(f"{path}: {name} is {value}; accepted is a number above 0")
    return float(value)


def _short(value: Any) -> str:
    text = "missing" if value is None else repr(value)
    return text if len(text) < 80 else text[:77] + "..."
