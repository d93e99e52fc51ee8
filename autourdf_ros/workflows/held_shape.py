"""Read the shape of a held object from any file that is accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.cloud_files.point_files import read_points
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import InputError
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.workflows.payload_result import HeldObject, object_of_mesh, object_of_surface

_MESHES = (".stl", ".obj", ".off", ".glb")
_CLOUDS = (".ply", ".pcd", ".npz")
_HEAD = 4096
"""Bytes in which the header of a PLY ends: a bound of memory."""


def read_held_shape(path: Path) -> HeldObject:
    """Return the object that a cloud, a mesh or the first frame of a recording shows.

    Raises:
        InputError: names the file and what is accepted.
    """
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is a cloud, a mesh or a recording")
    if path.suffix.lower() in _MESHES or _has_faces(path):
        return object_of_mesh(_mesh(path), None, path.stem)
    clouds = path.suffix.lower() in _CLOUDS
    frame = read_points(path) if clouds else load_recording(path).frames[0]
    colours = None if frame.colors is None else frame.colors / 255.0
    points = np.asarray(frame.points, float)
    return object_of_surface(ColouredSurface(points, colours, source=str(path)), path.stem)


def _has_faces(path: Path) -> bool:
    """Whether a PLY declares faces."""
    if path.suffix.lower() != ".ply":
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD).split(b"end_header")[0]
    return any(
        line.split()[1:2] == [b"face"] and line.split()[2:3] != [b"0"]
        for line in head.splitlines()
        if line.startswith(b"element")
    )


def _mesh(path: Path) -> Any:
    import trimesh

    try:
        return trimesh.load(path, force="mesh")
    except Exception as error:  # readers of trimesh have errors of their own
        raise InputError(f"{path}: cannot be read as a mesh: {error}") from error
