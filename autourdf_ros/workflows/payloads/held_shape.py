"""Read the shape of a held object from any file that is accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.cloud_files.point_files import read_points
from autourdf_ros.data.load import load_recording
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.workflows.payloads.object_scan import is_scan, object_of_view, scanned_object
from autourdf_ros.workflows.payloads.payload_result import (
    HeldObject,
    object_of_mesh,
    object_of_surface,
    object_on_its_table,
)

_MESHES = (".stl", ".obj", ".off", ".glb")
_CLOUDS = (".ply", ".pcd", ".npz")
_HEAD = 4096
"""Bytes in which the header of a PLY ends: a bound of memory."""


def read_held_shape(path: Path, table: bool = False, progress: Progress = silent) -> HeldObject:
    """Return the object that a cloud, a mesh or a recording shows.

    Args:
        path: Cloud, mesh or recording. A recording whose frames a moving camera took is a scan of
            an object on a table; of another one the first frame counts.
        table: The cloud or frame was seen from one side and shows the table, too.
        progress: Is called while a scan is stitched.

    Raises:
        InputError: names the file and what is accepted.
    """
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is a cloud, a mesh or a recording")
    if path.suffix.lower() in _MESHES or _has_faces(path):
        if table:
            raise InputError(f"--table: {path} is a mesh; accepted is a cloud or a recording")
        try:
            return object_of_mesh(_mesh(path), path.stem)
        except InputError as error:
            named = str(error).startswith(str(path))
            raise InputError(str(error) if named else f"{path}: {error}") from error
    if path.suffix.lower() in _CLOUDS:
        frame = read_points(path)
    else:
        recording = load_recording(path)
        if is_scan(recording):
            return object_on_its_table(scanned_object(recording, progress), path.stem)
        frame = recording.frames[0]
    colours = None if frame.colors is None else frame.colors / 255.0
    surface = ColouredSurface(np.asarray(frame.points, float), colours, source=str(path))
    if table:
        return object_on_its_table(object_of_view(surface), path.stem)
    return object_of_surface(surface, path.stem)


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
