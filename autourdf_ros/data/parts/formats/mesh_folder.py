"""A folder of mesh files, one part each."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from autourdf_ros.data.parts.formats.mesh_bounds import (
    BOUNDS,
    MeshBounds,
    check_file,
    check_triangles,
)
from autourdf_ros.data.parts.formats.mesh_file import MESHES, read_mesh_file
from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene, joined
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress


def read_folder(folder: Path, progress: Progress, bounds: MeshBounds = BOUNDS) -> RawScene:
    """Read every mesh file that lies directly in `folder` as a part, in natural order.

    Other files, such as materials, and hidden ones are not opened.

    Raises:
        InputError: A mesh cannot be read or leads out of the folder, or there are too many.
    """
    try:
        files = [
            file
            for file in sorted(folder.iterdir(), key=_natural)
            if file.suffix.lower() in MESHES and not file.name.startswith(".")
        ]
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from error
    if not files:
        raise InputError(f"{folder}: has no mesh files; accepted are {', '.join(MESHES)}")
    if len(files) > bounds.parts:
        raise InputError(f"{folder}: has {len(files)} meshes; accepted are up to {bounds.parts}")
    parts: list[RawPart] = []
    for number, file in enumerate(files):
        progress(f"reading {file.name}", number / len(files))
        check_file(file, folder, bounds)
        parts.append(replace(joined(read_mesh_file(file).parts, file.stem), name=file.stem))
        check_triangles(folder, sum(len(part.triangles) for part in parts), bounds)
    return RawScene(tuple(parts))


def _natural(file: Path) -> tuple[list[tuple[int, str]], str]:
    """Order by numbers as numbers: part_2 before part_10."""
    pieces = re.findall(r"[0-9]+|[^0-9]+", file.stem)
    return [
        (int(piece), "") if piece.isascii() and piece.isdigit() else (-1, piece) for piece in pieces
    ], file.name
