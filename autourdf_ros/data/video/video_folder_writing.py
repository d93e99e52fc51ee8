"""Writes a video as the folder that `video_folder` reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.data.images.transforms_file import (
    COLOR,
    DEPTH,
    OPENGL,
    PIXEL_CENTRE,
    TRANSFORMS_FILE,
)
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_folder import MASK
from autourdf_ros.files.durable_files import replace_text

DEPTH_STEP = 1e-4
"""Metres of 1 in the depth images: 0.1 mm, up to 6.5 m."""


def write_video_folder(video: CameraVideo, folder: Path) -> None:
    """Write images and `transforms.json` to an existing folder.

    Depths beyond what 16 bits of 0.1 mm hold are written in wider steps, so that all fit.
    """
    camera = video.camera
    unit = _depth_unit(video)
    matrix = (camera.pose @ OPENGL).tolist()
    frames = []
    for number, stamp in enumerate(video.stamps):
        frame: dict[str, object] = {"time": float(stamp), "transform_matrix": matrix}
        for key, name, images in (
            (COLOR, "color", video.colors),
            (DEPTH, "depth", video.depth),
            (MASK, "mask", video.masks),
        ):
            if images is not None:
                frame[key] = f"{name}/{number:06d}.png"
                _write(folder / f"{name}/{number:06d}.png", images[number], unit)
        frames.append(frame)
    middle = [value + PIXEL_CENTRE for value in camera.principal]
    content = {
        "camera_model": "OPENCV",
        "w": camera.width,
        "h": camera.height,
        "fl_x": camera.focal[0],
        "fl_y": camera.focal[1],
        "cx": middle[0],
        "cy": middle[1],
        "depth_unit_scale_factor": unit,
        "frames": frames,
    }
    replace_text(folder / TRANSFORMS_FILE, json.dumps(content, indent=1))


def _depth_unit(video: CameraVideo) -> float:
    if video.depth is None or not np.isfinite(video.depth).any():
        return DEPTH_STEP
    return max(DEPTH_STEP, float(np.nanmax(video.depth)) / np.iinfo(np.uint16).max)


def _write(path: Path, image: NDArray[np.generic], unit: float) -> None:
    path.parent.mkdir(exist_ok=True)
    if image.dtype.kind == "f":
        image = np.round(np.nan_to_num(image.astype(np.float64)) / unit).astype(np.uint16)
    Image.fromarray(image).save(path, compress_level=1)
