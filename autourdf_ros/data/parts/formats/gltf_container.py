"""The JSON and the buffers of an untrusted glTF file."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.formats.mesh_bounds import check_file
from autourdf_ros.errors import InputError

_MOST_JSON = 2**26  # bytes: parsed, it takes some twenty times as much memory
_JSON, _BINARY = 0x4E4F534A, 0x004E4942
_TYPES = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


@dataclass
class GltfFile:
    """A glTF file whose buffers are read when they are needed.

    Attributes:
        path: Of the file.
        content: Its JSON.
        binary: The binary chunk of a .glb; empty without one.
    """

    path: Path
    content: dict[str, Any]
    binary: bytes
    _buffers: dict[int, bytes] = field(default_factory=dict)

    def accessor(self, number: int, width: int) -> NDArray[Any]:
        """Return a view (N, width) of an accessor's numbers.

        Raises:
            ValueError, LookupError, TypeError: The file contradicts itself.
        """
        accessor = self.content["accessors"][number]
        if _WIDTHS.get(accessor["type"]) != width:
            raise ValueError(f"accessor {number} has the type {accessor['type']!r}")
        if "sparse" in accessor or "bufferView" not in accessor:
            raise ValueError(f"accessor {number} is sparse or without data, which is not read")
        view = self.content["bufferViews"][accessor["bufferView"]]
        kind = np.dtype("<" + _TYPES[accessor["componentType"]])
        start, length = view.get("byteOffset", 0), view["byteLength"]
        whole = self._buffer(view["buffer"])
        if not (start >= 0 and length >= 0 and start + length <= len(whole)):
            raise ValueError(f"buffer view {accessor['bufferView']} is outside of its buffer")
        step = view.get("byteStride", 0) or kind.itemsize * width
        # numpy compares shape, offset and strides with the buffer before it gives a view.
        return np.ndarray(
            (accessor["count"], width),
            kind,
            memoryview(whole)[start : start + length],
            accessor.get("byteOffset", 0),
            (step, kind.itemsize),
        )

    def factor(self, number: int) -> float:
        """Return what an accessor's numbers are multiplied by: whole numbers may be fractions."""
        accessor = self.content["accessors"][number]
        kind = np.dtype(_TYPES[accessor["componentType"]])
        if not accessor.get("normalized", False) or kind.kind == "f":
            return 1.0
        return 1.0 / float(np.iinfo(kind).max)

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            self._buffers[number] = self._read_buffer(self.content["buffers"][number])
        return self._buffers[number]

    def _read_buffer(self, buffer: dict[str, Any]) -> bytes:
        uri = buffer.get("uri")
        if uri is None:
            return self.binary
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        if "://" in uri:
            raise InputError(
                f"{self.path}: names the buffer {uri[:100]!r}, which is not fetched; accepted are "
                "files beside it"
            )
        file = self.path.parent / unquote(uri)
        check_file(file, self.path.parent)
        return file.read_bytes()


def read_container(path: Path) -> GltfFile:
    """Split a file into its JSON and its binary chunk.

    Raises:
        InputError: The JSON is too large, or no object.
        ValueError: The file contradicts itself.
    """
    whole = path.read_bytes()
    text, binary = whole, b""
    if whole[:4] == b"glTF":
        text, binary = _chunks(whole)
    if len(text) > _MOST_JSON:
        raise InputError(
            f"{path}: has {len(text) >> 20} MiB of JSON; accepted are up to {_MOST_JSON >> 20} MiB "
            "(a .glb or a .bin file holds the numbers outside of it)"
        )
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("its JSON is no object")
    return GltfFile(path, content, binary)


def _chunks(whole: bytes) -> tuple[bytes, bytes]:
    """Return the first chunk, which is the JSON, and the binary one."""
    try:
        _, version, _ = struct.unpack_from("<III", whole)
        length, kind = struct.unpack_from("<II", whole, 12)
    except struct.error:
        raise ValueError("it is cut off") from None
    if version != 2 or kind != _JSON or 20 + length > len(whole):
        raise ValueError(f"it has version {version}, or is cut off")
    text, rest = whole[20 : 20 + length], whole[20 + length :]
    if len(rest) < 8:
        return text, b""
    length, kind = struct.unpack_from("<II", rest)
    return text, rest[8 : 8 + length] if kind == _BINARY else b""
