"""How much a mesh file may hold, and which files it may name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class MeshBounds:
    """Bounds of what is read. All are bounds of memory and time, far above real assemblies.

    Attributes:
        file_bytes: Of one file: a million triangles as text STL are about 270 MB.
        triangles: Of all parts together.
        parts: Of an assembly: pairs of parts are compared.
        nodes: Of a scene, each counted as often as it is instantiated.
    """

    file_bytes: int = 2**29
    triangles: int = 5_000_000
    parts: int = 256
    nodes: int = 10_000


BOUNDS = MeshBounds()


def check_file(path: Path, folder: Path | None = None, bounds: MeshBounds = BOUNDS) -> int:
    """Return the size of a file that may be read (bytes).

    Args:
        path: Of the file.
        folder: That it must lie in with all links resolved; None where the user names the file.
        bounds: Of memory.

    Raises:
        InputError: It is no regular file, is empty, too large, or outside of `folder`.
    """
    try:
        if folder is not None and not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{path}: leads out of {folder}; accepted are files within it")
        if not path.is_file():
            raise InputError(f"{path}: is no regular file; accepted is a mesh file")
        size = path.stat().st_size
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a zero byte in a name
        raise InputError(f"{path}: cannot be read: {error}") from error
    if size == 0:
        raise InputError(f"{path}: is empty; accepted is a mesh file")
    if size > bounds.file_bytes:
        raise InputError(
            f"{path}: has {size / 2**20:.0f} MiB; accepted are up to {bounds.file_bytes >> 20} MiB"
        )
    return size


def check_triangles(where: Path | str, count: int, bounds: MeshBounds = BOUNDS) -> None:
    """Raise InputError where there are more triangles than the bound."""
    if count > bounds.triangles:
        raise InputError(
            f"{where}: has {count} triangles; accepted are up to {bounds.triangles} in all parts; "
            "simplify the meshes first"
        )


def check_nodes(where: Path | str, count: int, bounds: MeshBounds = BOUNDS) -> None:
    """Raise InputError where a scene instantiates more nodes than the bound."""
    if count > bounds.nodes:
        raise InputError(f"{where}: instantiates {count} nodes; accepted are up to {bounds.nodes}")
