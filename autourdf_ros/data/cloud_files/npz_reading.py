"""Reads arrays of an untrusted NPZ file: without pickle, in bounded memory."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

MOST_TIMES = 100
"""Arrays may take this many times the file's size; deflate reaches a thousand times."""

_LEAST = 2**20  # bytes that arrays may always take


def read_npz(file: Path, names: Collection[str]) -> dict[str, NDArray[Any]]:
    """Read those of the arrays `names` that a file has; others are not opened.

    The sizes in headers are compared with the file's size and the archive's own list before
    anything is unpacked.

    Raises:
        InputError: the file is no NPZ file, is damaged, or unpacks to too much.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = [(name, f"{name}.npy") for name in names]
            there = {item.filename: item for item in archive.infolist()}
            found = {name: there[member] for name, member in members if member in there}
            total = sum(item.file_size for item in found.values())
            most = MOST_TIMES * file.stat().st_size + _LEAST
            if total > most:
                raise InputError(
                    f"{file}: its arrays would take {total} bytes; accepted are {most}, "
                    f"{MOST_TIMES} times the file"
                )
            return {name: _array(archive, item, file) for name, item in found.items()}
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OSError,
        ValueError,
        SyntaxError,
    ) as error:
        raise InputError(f"{file}: not a readable NPZ file: {error}") from error


def _array(archive: zipfile.ZipFile, item: zipfile.ZipInfo, file: Path) -> NDArray[Any]:
    with archive.open(item) as stream:
        version = npy.read_magic(stream)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
        if read is None:
            raise ValueError(f"{item.filename} is of version {version}")
        shape, in_columns, kind = read(stream)
        if kind.hasobject:
            raise ValueError(f"{item.filename} holds pickled objects, which are never read")
        size = math.prod(shape) * kind.itemsize
        content = stream.read() if size <= item.file_size and min(shape, default=0) >= 0 else b""
    if len(content) < size or not kind.itemsize:
        raise InputError(
            f"{file}: {item.filename} is cut off: {kind} of shape {shape} has {size} bytes, "
            f"found are {len(content)}"
        )
    array = np.frombuffer(content[:size], kind)
    return array.reshape(shape, order="F" if in_columns else "C")
