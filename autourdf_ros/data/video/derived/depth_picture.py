"""Depth images as files: 16-bit PNG of millimetres, as ROS has them (REP 118)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from autourdf_ros.errors import InputError

_MILLIMETRES = 1000.0  # a metre
_MOST = np.iinfo(np.uint16).max


def write_depth_picture(depth: NDArray[np.floating], path: Path) -> None:
    """Write depths (H, W) in m; 0 where there is none."""
    millimetres = np.round(np.nan_to_num(np.asarray(depth, float), nan=0.0) * _MILLIMETRES)
    Image.fromarray(np.clip(millimetres, 0, _MOST).astype(np.uint16)).save(path)


def read_depth_picture(path: Path, height: int, width: int) -> NDArray[np.float32]:
    """Return depths (height, width) in m, NaN where there is none.

    Raises:
        InputError: the file cannot be read, or has another size or more than one channel.
    """
    try:
        with Image.open(path) as image:
            if image.size != (width, height):
                raise InputError(
                    f"{path}: has {image.size[0]} x {image.size[1]} pixels; accepted are "
                    f"{width} x {height}, the camera's"
                )
            values = np.asarray(image, np.float64) / _MILLIMETRES
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(f"{path}: cannot be read as a 16-bit depth image: {error}") from error
    if values.shape != (height, width):
        raise InputError(f"{path}: has {values.shape[2:]} channels; accepted is one")
    return np.where(values > 0, values, np.nan).astype(np.float32)
