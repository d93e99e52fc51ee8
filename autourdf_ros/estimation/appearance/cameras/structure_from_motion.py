"""Finds cameras by what stands still in their images, with COLMAP (Schönberger and Frahm, 2016).

Images of one camera that stands still are one view: the mean of what their masks do not hide.
"""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import binary_dilation

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.transforms_file import PIXEL_CENTRE
from autourdf_ros.data.images.unposed.colmap_model import ColmapModel, read_colmap
from autourdf_ros.data.images.unposed.unposed_images import UnposedImage, UnposedImages
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent
from autourdf_ros.subprocesses import CheckError, run_python

_FIRST_FOCAL = 1.2  # of the longer side of an image of unknown lens: COLMAP's own default
_PROCESS = "autourdf_ros.estimation.appearance.cameras.colmap_process"


@dataclass(frozen=True)
class MotionOptions:
    """Constants of the search for cameras.

    Attributes:
        features: Most in an image.
        margin: Pixels around the robot in which no feature is used.
        patience: Seconds until it is given up.
    """

    features: int = 1500
    margin: int = 4
    patience: float = 4 * 3600.0


def find_views(
    images: UnposedImages,
    options: MotionOptions = MotionOptions(),
    progress: Progress = silent,
) -> ColmapModel:
    """Return the cameras of the views that COLMAP has found, by name of the view.

    Raises:
        InputError: pycolmap is not installed, or finds no cameras.
    """
    if importlib.util.find_spec("pycolmap") is None:
        raise InputError(
            "pycolmap, which finds cameras, is not installed; `pip install autourdf_ros[cameras]` "
            "brings it; or --colmap names a folder of cameras that COLMAP has found"
        )
    progress("finding cameras", 0.0)
    views = images.views
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {f"{number:06d}.png": view for number, view in enumerate(views)}
        for kind in ("images", "masks"):
            (folder / kind).mkdir()
        for file, view in files.items():
            group = [images.images[number] for number in views[view]]
            color, free = background(group, options.margin)
            Image.fromarray(color).save(folder / "images" / file, compress_level=1)
            Image.fromarray(free.astype(np.uint8) * np.uint8(255)).save(
                folder / "masks" / f"{file}.png"
            )
        firsts = {file: images.images[views[view][0]] for file, view in files.items()}
        settings = {
            "features": options.features,
            "threads": os.cpu_count() or 1,
            "lenses": _lenses(firsts),
            "free_focal": any(image.lens is None for image in firsts.values()),
        }
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        try:
            run_python(["-m", _PROCESS, name], options.patience)
        except CheckError as error:
            raise InputError(
                f"{images.file.path}: no cameras were found by {len(views)} views: {error}; "
                "accepted are sharp images, 30 degrees apart or less, of a scene that has texture "
                "and stands still"
            ) from error
        found = read_colmap(folder / "text")
    cameras = {files[file]: camera for file, camera in found.cameras.items()}
    return ColmapModel(cameras, found.points, found.error)


def background(
    images: Sequence[UnposedImage], margin: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return what stands still in images from one place, and where it is seen at all.

    Args:
        images: At least one, of one size.
        margin: Pixels around the robot that count as hidden by it.

    Returns:
        (H, W, 3) mean colours of what no mask hides, and (H, W) where any image sees it.
    """
    shape = images[0].color.shape[:2]
    total, count = np.zeros((*shape, 3)), np.zeros(shape)
    for image in images:
        free = np.ones(shape, bool)
        if image.mask is not None and image.mask.any():
            free = ~binary_dilation(image.mask > 0, iterations=margin)
        total += image.color * free[..., None]
        count += free
    mean = total / np.maximum(count, 1)[..., None]
    return np.round(mean).astype(np.uint8), count > 0


def _lenses(firsts: dict[str, UnposedImage]) -> list[dict[str, Any]]:
    """Return COLMAP's camera of each lens, with the files of its images.

    All images of one size whose lens is unknown have the same.
    """
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for file, image in firsts.items():
        height, width = image.color.shape[:2]
        params = _params(image.lens, width, height)
        key = (width, height, *params)
        groups.setdefault(key, {"model": "PINHOLE", "params": params, "images": []})
        groups[key]["images"].append(file)
    return list(groups.values())


def _params(lens: PinholeCamera | None, width: int, height: int) -> list[float]:
    if lens is None:
        focal = _FIRST_FOCAL * max(width, height)
        return [focal, focal, width / 2, height / 2]
    return [*lens.focal, *(value + PIXEL_CENTRE for value in lens.principal)]
