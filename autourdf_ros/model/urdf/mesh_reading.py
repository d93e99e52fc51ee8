"""Mesh files of anybody's as triangles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.urdf.described_robot import DescribedRobot
from autourdf_ros.model.urdf.mesh_location import MeshError, locate

_ACCEPTED = (".stl", ".obj", ".dae", ".ply")


@dataclass(frozen=True)
class MeshFile:
    """A mesh file that a URDF names. mesh: unscaled, or None and the `problem` that it has."""

    path: Path | None
    mesh: trimesh.Trimesh | None
    problem: str = ""


def read_meshes(robot: DescribedRobot) -> Mapping[str, MeshFile]:
    """Read every mesh that the robot names, by its file name as it is written."""
    names: Iterable[str] = dict.fromkeys(
        shape.filename for _, shape in robot.shapes if shape.kind == "mesh"
    )
    return {name: _read(name, robot.path) for name in names}


def _read(name: str, urdf: Path) -> MeshFile:
    try:
        path = locate(name, urdf)
    except MeshError as error:
        return MeshFile(None, None, str(error))
    try:
        return MeshFile(path, _triangles(path))
    except MeshError as error:
        return MeshFile(path, None, f"'{name}' {error}")
    except Exception as error:  # every format has errors of its own
        return MeshFile(path, None, f"'{name}' cannot be read ({type(error).__name__}: {error})")


def _triangles(path: Path) -> trimesh.Trimesh:
    """All triangles of a file as one mesh; vertices at one place are one."""
    suffix = path.suffix.lower()
    if suffix not in _ACCEPTED:
        raise MeshError(f"is of a format that is not read; accepted are {', '.join(_ACCEPTED)}")
    if suffix == ".dae":
        # Its reader would resolve entities, and unpack an archive of any size.
        try:
            read_xml(path, long_texts=True)
        except InputError as error:
            raise MeshError(str(error).removeprefix(f"{path}: ")) from error
    mesh = trimesh.load_scene(path, skip_materials=True).to_mesh()
    if len(mesh.faces) == 0:
        raise MeshError("has no triangle")
    if not np.isfinite(mesh.vertices).all():
        raise MeshError("has vertices that are not finite")
    bare = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    bare.merge_vertices()
    return bare
