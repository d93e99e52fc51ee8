"""Reads points and colours of an untrusted PLY file.

The format: http://gamma.cs.unc.edu/POWERPLANT/papers/ply.pdf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.cloud_files.number_table import read_binary, read_text
from autourdf_ros.errors import InputError

_MOST_HEADER = 2**16
_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_COLORS = (("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue"))


@dataclass(frozen=True)
class _Header:
    order: str
    count: int
    properties: dict[str, str]


def read_ply(file: Path) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
    """Read the element `vertex`, which must be the file's first.

    The declared size is compared with the file's length before anything is read. No more than a few
    times the file is held.

    Returns:
        Points (N, 3), and RGB colours (N, 3) or None.

    Raises:
        InputError: the file is no PLY file, or is cut off.
    """
    table = read_vertices(file)
    found = set(table.dtype.names or ())
    names = next((names for names in _COLORS if set(names) <= found), None)
    colors = None if names is None else _bytes(columns(table, names))
    return columns(table, "xyz"), colors


def read_vertices(file: Path) -> NDArray[Any]:
    """Return all properties of the element `vertex`, as fields of an array (N,).

    Raises:
        InputError: the file is no PLY file, or is cut off.
    """
    with file.open("rb") as stream:
        header = _header(stream, file)
        order = header.order or "<"
        kind = np.dtype([(name, order + code) for name, code in header.properties.items()])
        read = read_binary if header.order else read_text
        return np.asarray(read(stream, file, kind, header.count))


def columns(table: NDArray[Any], names: Iterable[str]) -> NDArray[Any]:
    """Return fields of an array (N,) as columns of an array (N, len(names))."""
    return np.stack([table[name] for name in names], axis=1)


def _header(stream: BinaryIO, file: Path) -> _Header:
    begun = stream.read(_MOST_HEADER)
    head, found, _ = begun.partition(b"end_header")
    end = begun.find(b"\n", len(head)) + 1
    if not begun.startswith(b"ply") or not found or not end:
        raise InputError(f"{file}: not a readable PLY file: it has no header of a PLY file")
    stream.seek(end)
    order: str | None = None
    count = -1
    elements: list[str] = []
    properties: dict[str, str] = {}
    for number, line in enumerate(head.decode("latin-1").splitlines(), 1):
        try:
            match line.split():
                case ["format", name, *_]:
                    order = _ORDERS[name]
                case ["element", name, text]:
                    elements.append(name)
                    count = int(text) if name == "vertex" else count
                case ["property", kind, name] if elements == ["vertex"]:
                    if name in properties:
                        raise ValueError("names a property twice")
                    properties[name] = _TYPES[kind]
                case ["property", *_] if elements == ["vertex"]:
                    raise ValueError("is no property of one number")
        except (KeyError, ValueError) as error:
            raise InputError(
                f"{file}: not a readable PLY file: line {number} is {line[:80]!r} ({error})"
            ) from error
    if order is None or elements[:1] != ["vertex"] or not set("xyz") <= set(properties):
        raise InputError(
            f"{file}: not a readable PLY file: its header has the elements {elements[:9]} with "
            f"{list(properties)[:9]}; accepted is a format, and vertex first, with x, y and z"
        )
    return _Header(order, count, properties)


def _bytes(colors: NDArray[Any]) -> NDArray[np.uint8]:
    """Return colours as bytes; those in floating point are in [0, 1]."""
    if colors.dtype.kind == "f":
        colors = np.rint(255 * np.clip(np.nan_to_num(colors), 0.0, 1.0))
    elif colors.dtype == np.uint16:
        colors = colors >> 8
    return colors.astype(np.uint8)
