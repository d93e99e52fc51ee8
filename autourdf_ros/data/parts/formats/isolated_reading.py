"""Read a file by a library that a hostile file may crash: in a process of its own."""

from __future__ import annotations

import importlib
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene
from autourdf_ros.errors import InputError
from autourdf_ros.subprocesses import CheckError, run_python

_PATIENCE = 300.0  # s: a bound of time, for files of the largest accepted size
_MOST_MEMORY = 16 * 2**30  # bytes of addresses: a bound
_READERS: Mapping[str, tuple[str, str]] = {
    "usd": ("autourdf_ros.data.parts.formats.usd_reading", "read_usd"),
    "model": ("autourdf_ros.data.parts.formats.erased_reading", "read_erased"),
}


def read_isolated(kind: str, path: Path) -> RawScene:
    """Read a file in a process of its own, within bounds of memory and time.

    Args:
        kind: `usd`, or `model` for a URDF or MJCF.
        path: Of the file.

    Raises:
        InputError: It cannot be read, or its library crashes or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "scene.npz"
        try:
            run_python(["-m", __name__, kind, str(path), str(written)], _PATIENCE)
        except CheckError as error:
            text = str(error)
            raise InputError(
                text if text.startswith(str(path)) else f"{path}: cannot be read: {text}"
            ) from error
        return _unpacked(written)


def _packed(scene: RawScene, file: Path) -> None:
    about = {
        "rigid": scene.rigid,
        "notes": scene.notes,
        "parts": [(part.name, part.metres, part.up) for part in scene.parts],
    }
    arrays: dict[str, NDArray[Any]] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for number, part in enumerate(scene.parts):
        arrays[f"vertices_{number}"] = part.vertices
        arrays[f"triangles_{number}"] = part.triangles
    np.savez(file, allow_pickle=False, **arrays)


def _unpacked(file: Path) -> RawScene:
    with np.load(file, allow_pickle=False) as arrays:
        about = json.loads(arrays["about"].tobytes())
        parts = tuple(
            RawPart(name, arrays[f"vertices_{number}"], arrays[f"triangles_{number}"], metres, up)
            for number, (name, metres, up) in enumerate(about["parts"])
        )
    return RawScene(parts, about["rigid"], tuple(about["notes"]))


def main(kind: str, path: Path, written: Path) -> int:
    """Read a file and write what it holds; return 1 with one line on standard error if not."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    module, name = _READERS[kind]
    reader: Callable[[Path], RawScene] = getattr(importlib.import_module(module), name)
    try:
        _packed(reader(path), written)
    except InputError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
