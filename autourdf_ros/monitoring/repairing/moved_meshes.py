"""Mesh files of which a part has moved; names hold a hash, since RViz caches them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.monitoring.repairing.correction import Cut
from autourdf_ros.shape.visual.mesh_files import write_collision

Array = NDArray[np.float64]
Move = Callable[[Array, Array], tuple[Array, Array]]


def moving(cut: Cut, frame: Array) -> Move:
    """Return the motion of vertices and normals, (N, 3) each, of a mesh framed at (4, 4)."""
    inward = np.linalg.inv(frame)
    local = inward @ cut.motion @ frame

    def move(vertices: Array, normals: Array) -> tuple[Array, Array]:
        beyond = cut.beyond(vertices @ frame[:3, :3].T + frame[:3, 3])[:, None]
        return (
            np.where(beyond, vertices @ local[:3, :3].T + local[:3, 3], vertices),
            np.where(beyond, normals @ local[:3, :3].T, normals),
        )

    return move


def move_visual(path: Path, stem: str, move: Move) -> Path:
    """Replace an OBJ of `mesh_files` with its material and texture; return the new path.

    Args:
        path: Of the OBJ.
        stem: Of its name, before the hash.
        move: Moves vertices and normals.
    """
    lines = path.read_text().splitlines(keepends=True)
    rows = {kind: [n for n, line in enumerate(lines) if line.startswith(kind)] for kind in _ROWS}
    vertices, normals = (
        np.array([lines[n].split()[1:] for n in rows[kind]], float).reshape(-1, 3) for kind in _ROWS
    )
    for kind, values in zip(_ROWS, move(vertices, normals), strict=True):
        for n, row in zip(rows[kind], values.tolist(), strict=True):
            lines[n] = _ROWS[kind] % tuple(row)
    text = "".join(lines)
    name = f"{stem}_{hashlib.sha256(text.encode()).hexdigest()[:10]}"
    for file in [path, path.with_suffix(".mtl"), path.with_suffix(".png")]:
        if not file.exists():
            continue
        new = file.with_name(name + file.suffix)
        if file.suffix == ".png":
            file.rename(new)
            continue
        new.write_text((text if file == path else file.read_text()).replace(path.stem, name))
        file.unlink()
    return path.with_name(f"{name}.obj")


_ROWS = {"v ": "v %.7g %.7g %.7g\n", "vn ": "vn %.4f %.4f %.4f\n"}


def move_collision(path: Path, stem: str, move: Move) -> Path:
    """Replace a convex STL by the hull of its moved vertices; return the new path."""
    mesh = trimesh.load_mesh(path)
    vertices = np.asarray(mesh.vertices, float)
    moved = trimesh.convex.convex_hull(move(vertices, np.zeros_like(vertices))[0])
    new = write_collision(path.parent, stem, moved)
    if new != path:
        path.unlink()
    return new
