"""Reads points and colours of an untrusted PCD file.

The format: https://pointclouds.org/documentation/tutorials/pcd_file_format.html.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.cloud_files.number_table import cut_off, left_of, read_binary, read_text
from autourdf_ros.errors import InputError

_MOST_HEADER = 2**16
_KINDS = {"I": "i", "U": "u", "F": "f"}
_MOST_OF_LZF = 264 / 3  # bytes that LZF unpacks one to: three of its bytes stand for 264 at most


@dataclass(frozen=True)
class _Header:
    kind: np.dtype
    points: int
    data: str


def read_pcd(file: Path) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
    """Read a PCD file.

    The declared size is compared with the file's length before anything is read. At most 88 times
    the file is held, to which LZF can unpack it.

    Returns:
        Points (N, 3), and RGB colours (N, 3) or None where there is no field rgb or rgba.

    Raises:
        InputError: the file is no PCD file, or is cut off.
    """
    with file.open("rb") as stream:
        header = _header(stream, file)
        if header.data == "binary":
            table = read_binary(stream, file, header.kind, header.points)
        elif header.data == "ascii":
            table = read_text(stream, file, header.kind, header.points)
        else:
            table = _compressed(stream, file, header)
    points = np.stack([table[axis] for axis in "xyz"], axis=1)
    packed = next(
        (table[name] for name in ("rgb", "rgba") if name in (table.dtype.names or ())), None
    )
    if packed is None or packed.dtype.itemsize != 4:
        return points, None
    # As text a packed colour is its number, or that of a float with the same bytes.
    value = np.ascontiguousarray(packed).view("<u4")
    return points, np.stack([value >> 16, value >> 8, value], axis=1).astype(np.uint8)


def _header(stream: BinaryIO, file: Path) -> _Header:
    begun = stream.read(_MOST_HEADER)
    head, found, rest = begun.partition(b"\nDATA ")
    end = rest.find(b"\n")
    entries: dict[str, list[str]] = {}
    for line in head.decode("latin-1").splitlines():
        key, *values = line.split() or [""]
        entries[key] = values
    try:
        if not found or end < 0:
            raise ValueError("its header is incomplete")
        names = entries["FIELDS"]
        sizes, counts = (
            _integers(entries["SIZE"]),
            _integers(entries.get("COUNT", ["1"] * len(names))),
        )
        fields: list[tuple[str, str, tuple[int, ...]]] = []
        for number, (name, size, kind, count) in enumerate(
            zip(names, sizes, entries["TYPE"], counts, strict=True)
        ):
            if not 1 <= count <= _MOST_HEADER:
                raise ValueError(f"field {name} has a count of {count}")
            # Fields that fill gaps are all called "_".
            unique = name if name not in (field[0] for field in fields) else f"{name}{number}"
            shape = () if count == 1 else (count,)
            fields.append((unique, f"<{_KINDS[kind]}{size}", shape))
        scalars = {name for name, _, shape in fields if not shape}
        if not set("xyz") <= scalars:
            raise ValueError(f"its fields are {', '.join(names[:9])}; accepted are x, y and z")
        (points,) = _integers(entries["POINTS"])
        data = rest[:end].strip().decode("latin-1")
        if data not in ("ascii", "binary", "binary_compressed"):
            raise ValueError(f"DATA is {data[:40]!r}")
        dtype = np.dtype(fields)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file}: not a readable PCD file: {error}") from error
    stream.seek(len(head) + len(found) + end + 1)
    if data == "ascii" and any(shape for *_, shape in fields):
        raise InputError(f"{file}: not a readable PCD file: ascii with a COUNT above 1")
    return _Header(dtype, points, data)


def _integers(words: list[str]) -> list[int]:
    return [int(word) for word in words]


def _compressed(stream: BinaryIO, file: Path, header: _Header) -> NDArray[Any]:
    """Read the two sizes, then the fields one after another, packed by LZF."""
    sizes = stream.read(8)
    if len(sizes) < 8:
        raise cut_off(file, 0, header.points)
    packed, size = struct.unpack("<II", sizes)
    left = left_of(stream)
    if (
        packed > left
        or size > _MOST_OF_LZF * packed
        or size != header.points * header.kind.itemsize
    ):
        raise cut_off(file, min(left, size) // header.kind.itemsize, header.points)
    from autourdf_ros.data.cloud_files.lzf import unpack_lzf  # its compiler is slow to load

    content = np.zeros(size, np.uint8)
    if unpack_lzf(np.frombuffer(stream.read(packed), np.uint8), content) != size:
        raise InputError(f"{file}: not a readable PCD file: its compressed points are damaged")
    table, place = np.zeros(header.points, header.kind), 0
    for name in header.kind.names or ():
        field = header.kind[name]
        end = place + field.itemsize * header.points
        column = np.ascontiguousarray(content[place:end]).view(field.base)
        table[name] = column.reshape(header.points, *field.shape)
        place = end
    return table
