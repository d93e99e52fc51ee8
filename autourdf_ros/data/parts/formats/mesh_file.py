"""One mesh file of any accepted format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from autourdf_ros.data.parts.formats.collada_reading import read_collada
from autourdf_ros.data.parts.formats.gltf_reading import read_gltf
from autourdf_ros.data.parts.formats.library_meshes import read_by_library
from autourdf_ros.data.parts.formats.obj_reading import read_obj
from autourdf_ros.data.parts.formats.raw_scene import RawScene
from autourdf_ros.errors import InputError

_READERS: Mapping[str, Callable[[Path], RawScene]] = {
    ".ply": read_by_library,
    ".stl": read_by_library,
    ".obj": read_obj,
    ".glb": read_gltf,
    ".gltf": read_gltf,
    ".dae": read_collada,
    ".off": read_by_library,
}

MESHES = tuple(_READERS)
"""Suffixes of the mesh files that are read."""


def read_mesh_file(path: Path) -> RawScene:
    """Read a file whose size is checked as named meshes, in the unit of the file.

    Raises:
        InputError: It cannot be read.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path}: is of a format that is not read; accepted are {', '.join(MESHES)}"
        )
    try:
        return reader(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
