"""Reads tables of numbers in untrusted files, whose declared sizes may be wrong.

PLY and PCD are read here and not by Open3D, which allocates the declared number of points, and
returns a cloud with undefined points for a file that is cut off.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError


def read_binary(stream: BinaryIO, file: Path, kind: np.dtype, count: int) -> NDArray[Any]:
    """Read (count,) records of `kind` from the stream's position.

    Raises:
        InputError: the file is shorter; nothing was read.
    """
    left = left_of(stream)
    if count < 0 or count * kind.itemsize > left:
        raise cut_off(file, left // max(kind.itemsize, 1), count)
    return np.frombuffer(stream.read(count * kind.itemsize), kind, count)


def read_text(stream: BinaryIO, file: Path, kind: np.dtype, count: int) -> NDArray[Any]:
    """Read (count,) records of `kind`, a line of text each.

    Raises:
        InputError: the file is shorter, or something is no number.
    """
    left = left_of(stream)
    if count < 0 or count > left:  # a line has a byte at least
        raise cut_off(file, left, count)
    names = kind.names or ()
    with warnings.catch_warnings():
        # numpy reads up to what is no number, and warns; newer versions raise.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            numbers = np.fromstring(_lines(stream.read(), count), float, sep=" ")
        except ValueError as error:
            raise InputError(f"{file}: holds something that is no number: {error}") from error
    if len(numbers) != count * len(names):
        raise cut_off(file, max(min(len(numbers) // len(names), count - 1), 0), count)
    table = np.zeros(count, kind)
    with np.errstate(invalid="ignore", over="ignore"):
        for name, column in zip(names, numbers.reshape(count, len(names)).T, strict=True):
            table[name] = column.astype(kind[name])
    return table


def _lines(text: bytes, count: int) -> bytes:
    """Return the first `count` lines: others follow in some files."""
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    if not count:
        return b""
    return text[: ends[count - 1] + 1] if count <= len(ends) else text


def left_of(stream: BinaryIO) -> int:
    """Return the number of bytes from the stream's position to the end of its file."""
    return max(os.fstat(stream.fileno()).st_size - stream.tell(), 0)


def cut_off(file: Path, found: int, declared: int) -> InputError:
    """Return the error for a file that holds less than its header declares."""
    return InputError(f"{file}: is cut off: {found} readable points, {declared} declared")
