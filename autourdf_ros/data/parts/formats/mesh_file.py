"""One mesh file of any accepted format."""

from __future__ import annotations

from pathlib import Path

from autourdf_ros.data.parts.formats.library_meshes import read_by_library
from autourdf_ros.data.parts.formats.raw_scene import RawScene
from autourdf_ros.errors import InputError

MESHES = (".ply", ".stl", ".obj", ".glb", ".gltf", ".dae", ".off")


def read_mesh_file(path: Path) -> RawScene:
    """Read a file whose size is checked as named meshes, in the unit of the file.

    Raises:
        InputError: It cannot be read.
    """
    match path.suffix.lower():
        case ".ply" | ".stl" | ".off" | ".obj":
            return read_by_library(path)
    raise InputError(f"{path}: is of a format that is not read; accepted are {', '.join(MESHES)}")
