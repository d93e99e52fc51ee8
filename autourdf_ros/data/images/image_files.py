"""Decodes image files of a video in bounded memory: PNG, JPEG, NPY and NPZ."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from autourdf_ros.data.cloud_files.npz_reading import read_npz
from autourdf_ros.errors import InputError

MOST_PIXELS = 2**25
"""Of one image: a bound of memory, 33 megapixels."""

_MOST_FILE = 2**28  # bytes of one image file: a bound
_ARRAY = "depth"  # name of the array in an NPZ
_ACCEPTED = "accepted are PNG and JPEG images, and .npy or .npz arrays"


def read_pixels(path: Path, size: tuple[int, int]) -> NDArray[Any]:
    """Return the pixels of a PNG or JPEG file: (H, W) of integers, or (H, W, 3) RGB of uint8.

    Args:
        path: Of the file.
        size: Width and height that it must have; compared before anything is decoded.

    Raises:
        InputError: The file is none, is damaged, or has another size.
    """
    check_file(path)
    try:
        return _decoded(path, str(path), size)
    except InputError:
        raise
    except Exception as error:  # decoders raise anything for what is damaged
        raise InputError(f"{path}: cannot be read as an image ({error}); {_ACCEPTED}") from error


def image_size(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG or JPEG file, without its pixels. Raise InputError."""
    from PIL import Image

    check_file(path)
    try:
        with Image.open(path, formats=("PNG", "JPEG")) as image:
            return image.size
    except Exception as error:  # decoders raise anything for what is damaged
        raise InputError(f"{path}: cannot be read as an image ({error}); {_ACCEPTED}") from error


def decoded(content: bytes, size: tuple[int, int]) -> NDArray[Any]:
    """Return the pixels of the bytes of a PNG or JPEG file, as `read_pixels`.

    Raises:
        ValueError: They are none, are damaged, or have another size.
    """
    try:
        return _decoded(io.BytesIO(content), "", size)
    except InputError as error:
        raise ValueError(str(error).removeprefix(": ")) from error
    except Exception as error:  # decoders raise anything for what is damaged
        raise ValueError(f"no PNG or JPEG image: {error}") from error


def _decoded(file: Path | io.BytesIO, name: str, size: tuple[int, int]) -> NDArray[Any]:
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Image.open(file, formats=("PNG", "JPEG")) as image:
            _check_size(name, image.size, size)
            if image.mode.startswith(("I", "L", "1")):
                return np.asarray(image if image.mode != "1" else image.convert("L"))
            return np.asarray(image.convert("RGB"))


def read_depth_image(path: Path, size: tuple[int, int], unit: float) -> NDArray[np.float32]:
    """Return depths (H, W) in metres, NaN where none.

    Args:
        path: A PNG of 16 bits, or an .npy or .npz file (array `depth`).
        size: Width and height that it must have.
        unit: Metres of 1 in an image or array of integers; arrays of floating-point are metres.

    Raises:
        InputError: The file is none, is damaged, or has another size or type.
    """
    found = _read_array(path) if path.suffix in (".npy", ".npz") else read_pixels(path, size)
    if found.ndim != 2 or found.dtype.kind not in "iuf":
        raise InputError(
            f"{path}: depths of shape {found.shape} and type {found.dtype}; accepted is one number "
            "a pixel"
        )
    _check_size(path, (found.shape[1], found.shape[0]), size)
    return metres(found, unit)


def metres(found: NDArray[Any], unit: float) -> NDArray[np.float32]:
    """Return depths in metres, NaN where none: 0, negative or not finite.

    Args:
        found: Of any numeric type.
        unit: Metres of 1 where they are integers.
    """
    depth = np.asarray(found, np.float32) * np.float32(1.0 if found.dtype.kind == "f" else unit)
    with np.errstate(invalid="ignore"):
        depth[~(np.isfinite(depth) & (depth > 0))] = np.nan
    return depth


def check_file(path: Path, accepted: str = _ACCEPTED) -> None:
    """Raise InputError, saying what is accepted, where a path is no regular file or too large."""
    try:
        if not path.is_file():
            raise InputError(f"{path}: is missing; {accepted}")
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if size > _MOST_FILE:
        raise InputError(f"{path}: has {size} bytes; accepted are up to {_MOST_FILE}")


def _read_array(path: Path) -> NDArray[Any]:
    check_file(path)
    if path.suffix == ".npz":
        arrays = read_npz(path, [_ARRAY])
        if _ARRAY not in arrays:
            raise InputError(f"{path}: has no array {_ARRAY!r}; accepted is an NPZ with it")
        return arrays[_ARRAY]
    try:
        with path.open("rb") as stream:
            version = npy.read_magic(stream)
            read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
            shape, _, kind = read[version](stream)
            declared = int(np.prod([float(side) for side in shape])) * kind.itemsize
            if kind.hasobject or declared > path.stat().st_size:
                raise ValueError(f"declares {kind} of shape {shape}")
        return np.asarray(np.load(path, allow_pickle=False))
    except Exception as error:  # headers are parsed as Python: any error
        raise InputError(f"{path}: cannot be read as an array ({error}); {_ACCEPTED}") from error


def _check_size(path: Path | str, found: tuple[int, int], size: tuple[int, int]) -> None:
    if found != size:
        raise InputError(
            f"{path}: has {found[0]} x {found[1]} pixels; accepted is {size[0]} x {size[1]}, as "
            "the camera's"
        )
