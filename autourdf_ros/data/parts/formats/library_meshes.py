"""PLY, STL, OFF and Collada files, read by trimesh; other formats have readers of ours."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.parts.formats.mesh_bounds import check_triangles
from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene
from autourdf_ros.errors import InputError

_MOST_HEADER = 2**16  # bytes of a PLY file


def read_by_library(path: Path) -> RawScene:
    """Read a PLY, STL or OFF file as one mesh.

    Raises:
        InputError: It cannot be read.
    """
    if path.suffix.lower() == ".ply":
        _check_ply_header(path)
    return RawScene(tuple(_parts(path, load_quietly(path))))


def load_quietly(path: Path) -> Any:
    """Return a file as trimesh's scene: no material, no other file, nothing processed."""
    import trimesh

    log = logging.getLogger("trimesh")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with path.open("rb") as stream:
            return trimesh.load_scene(
                stream,
                file_type=path.suffix.lower()[1:],
                resolver=None,
                skip_materials=True,
                process=False,
            )
    except Exception as error:  # every format has errors of its own
        raise InputError(
            f"{path}: cannot be read as a mesh ({type(error).__name__}: {str(error)[:200]})"
        ) from error
    finally:
        log.setLevel(level)


def _parts(path: Path, scene: Any) -> list[RawPart]:
    import trimesh

    found = []
    for mesh in scene.dump():
        if isinstance(mesh, trimesh.Trimesh):
            check_triangles(path, len(mesh.faces))
            found.append(raw_part(path, path.stem, mesh.vertices, mesh.faces))
    return found


def raw_part(path: Path, name: str, vertices: Any, triangles: Any) -> RawPart:
    """Return a mesh whose indices are checked.

    Raises:
        InputError: A triangle names a vertex that the file lacks.
    """
    points = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
    corners = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    if len(corners) and (corners.min() < 0 or corners.max() >= len(points)):
        raise InputError(
            f"{path}: '{name}' has triangles of vertex {corners.min()} to {corners.max()}; "
            f"accepted are its vertices 0 to {len(points) - 1}"
        )
    return RawPart(name, points, corners)


def _check_ply_header(path: Path) -> None:
    """Compare the declared elements with the length of the file.

    Raises:
        InputError: It is no PLY file, or declares more elements than it can hold.
    """
    with path.open("rb") as stream:
        begun = stream.read(_MOST_HEADER)
    head, found, _ = begun.partition(b"end_header")
    if not begun.startswith(b"ply") or not found:
        raise InputError(f"{path}: not a readable PLY file: it has no header of a PLY file")
    size = path.stat().st_size
    for line in head.decode("latin-1").splitlines():
        words = line.split()
        if words[:1] != ["element"]:
            continue
        if len(words) != 3 or not words[2].isascii() or not words[2].isdigit():
            raise InputError(f"{path}: not a readable PLY file: its header has {line[:80]!r}")
        if int(words[2]) > size:  # every element takes a byte at least
            raise InputError(
                f"{path}: declares {words[2]} of '{words[1]}' and has {size} bytes: it is cut off"
            )
