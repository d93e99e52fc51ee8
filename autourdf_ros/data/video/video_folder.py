"""Reads a video of a camera that stands still from a folder with `transforms.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.image_files import read_pixels
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.transforms_file import (
    COLOR,
    DEPTH,
    LENS,
    TRANSFORMS_FILE,
    TransformsFile,
    short,
)
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_checks import (
    check_amount,
    check_stamps,
    check_stillness,
    checked_video,
)
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]

MASK = "body_mask_path"
_ACCEPTED = (
    f"accepted is a folder with nerfstudio's {TRANSFORMS_FILE}: fl_x, fl_y, cx, cy, w, h and "
    f"frames with transform_matrix, time, {COLOR} and/or {DEPTH}"
)


def read_video_folder(folder: Path, progress: Progress = silent) -> CameraVideo:
    """Return the video of a folder.

    Raises:
        InputError: names the file or key, the value found, and what is accepted.
    """
    found = TransformsFile.read(folder, _ACCEPTED)
    frames = found.frames
    common = found.entries | {
        name: value for name, value in (frames or [{}])[0].items() if name in LENS
    }
    size = int(found.number(common, "w")), int(found.number(common, "h"))
    check_amount(str(found.path), len(frames), size, 8)
    kinds = [kind for kind in (COLOR, DEPTH, MASK) if any(kind in frame for frame in frames)]
    stamps = _stamps(found)
    camera = _camera(found, common)
    images: dict[str, list[Any]] = {kind: [] for kind in kinds}
    for number in range(len(frames)):
        progress("reading images", number / len(frames))
        for kind in kinds:
            images[kind].append(_image(found, number, kind, size))
    stacked = {kind: np.stack(items) for kind, items in images.items()}
    return checked_video(
        CameraVideo(
            camera, stamps, stacked.get(DEPTH), stacked.get(COLOR), stacked.get(MASK), folder
        )
    )


def _camera(found: TransformsFile, common: dict[str, Any]) -> PinholeCamera:
    first = {name: common.get(name) for name in LENS}
    for number, frame in enumerate(found.frames):
        for name in LENS:
            if name in frame and frame[name] != first[name]:
                raise InputError(
                    f"{found.path}: {name} of frame {number} is {short(frame[name])}, of frame 0 "
                    f"{short(first[name])}; accepted is one camera"
                )
    lens = found.camera(common, np.eye(4))
    poses = np.array([found.pose(number) for number in range(len(found.frames))])
    pose = check_stillness(str(found.path), poses, max(lens.focal))
    return PinholeCamera(lens.width, lens.height, lens.focal, lens.principal, pose)


def _stamps(found: TransformsFile) -> Array:
    if any("time" in frame for frame in found.frames):
        times = np.array([found.number(frame, "time") for frame in found.frames])
    else:
        times = np.arange(len(found.frames)) / found.number(found.entries, "fps")
    check_stamps(str(found.path), times)
    return np.asarray(times)


def _image(found: TransformsFile, number: int, kind: str, size: tuple[int, int]) -> NDArray[Any]:
    if kind == DEPTH:
        return found.depth(number, size)
    if kind == COLOR:
        return found.color(number, size)
    path = found.file(number, kind)
    pixels = read_pixels(path, size)
    if pixels.ndim != 2 or pixels.max(initial=0) > np.iinfo(np.uint8).max:
        raise InputError(
            f"{path}: a mask of shape {pixels.shape}, up to {pixels.max(initial=0)}; accepted are "
            "numbers of the shapes from 1, and 0, as grey values"
        )
    return pixels.astype(np.uint8)
