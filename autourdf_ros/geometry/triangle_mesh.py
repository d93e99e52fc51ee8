"""Triangle meshes with a colour per triangle, read from mesh files and URDF primitives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError
from trimesh.visual import ColorVisuals, TextureVisuals

from autourdf_ros.errors import InputError
from autourdf_ros.files.xml_reading import read_xml

GREY = np.array([180, 180, 180], dtype=np.uint8)


@dataclass(frozen=True)
class SurfaceMesh:
    """A triangle mesh.

    Attributes:
        vertices: (V, 3) float32, metres.
        triangles: (T, 3) uint32.
        colors: (T, 3) uint8 RGB.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    colors: NDArray[np.uint8]

    def transformed(self, pose: NDArray[np.float64]) -> SurfaceMesh:
        """Return the mesh moved by the (4, 4) matrix `pose`, which may scale."""
        vertices = self.vertices @ pose[:3, :3].T + pose[:3, 3]
        return SurfaceMesh(vertices.astype(np.float32), self.triangles, self.colors)

    @cached_property
    def hull(self) -> NDArray[np.float64]:
        """Return the (H, 3) vertices of the convex hull, metres."""
        return outer_points(np.unique(self.vertices, axis=0).astype(np.float64))


def outer_points(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (H, 3) points on the convex hull of (N, 3), all where it is flat."""
    try:
        return points[ConvexHull(points).vertices]
    except (QhullError, ValueError):  # flat, or none
        return points


def merged(meshes: Iterable[SurfaceMesh]) -> SurfaceMesh | None:
    """Return all the meshes as one, or None where there are none."""
    meshes = [mesh for mesh in meshes if len(mesh.triangles)]
    if not meshes:
        return None
    offsets = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes[:-1]])
    return SurfaceMesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate(
            [
                mesh.triangles + np.uint32(offset)
                for mesh, offset in zip(meshes, offsets, strict=True)
            ]
        ),
        np.concatenate([mesh.colors for mesh in meshes]),
    )


def from_trimesh(mesh: trimesh.Trimesh, color: NDArray[np.uint8] | None = None) -> SurfaceMesh:
    """Convert a mesh, with `color` (RGB) where given, else the mesh's own face colours."""
    if color is None:
        colors = np.asarray(_own_colors(mesh), dtype=np.uint8)
    else:
        colors = np.broadcast_to(color, (len(mesh.faces), 3)).astype(np.uint8)
    return SurfaceMesh(mesh.vertices.astype(np.float32), mesh.faces.astype(np.uint32), colors)


def read_mesh(path: Path, color: NDArray[np.uint8] | None = None) -> SurfaceMesh | None:
    """Read a DAE, STL or OBJ file.

    Args:
        path: of the file.
        color: RGB for files that have no colours of their own.

    Returns:
        The mesh, or None where the file holds no triangles that trimesh understands.

    Raises:
        InputError: where the file cannot be read.
    """
    try:
        if path.suffix.lower() == ".dae":
            read_xml(path, long_texts=True)  # before its own reader, which would resolve entities
        parts = trimesh.load_scene(path).dump()
    except Exception as error:  # the loaders of the many formats raise anything
        raise InputError(f"mesh {path}: cannot be read ({error})") from error
    return merged(
        from_trimesh(part, None if _has_colors(part) else color)
        for part in parts
        if isinstance(part, trimesh.Trimesh)
    )


def _has_colors(mesh: trimesh.Trimesh) -> bool:
    return mesh.visual is not None and mesh.visual.kind is not None


def _own_colors(mesh: trimesh.Trimesh) -> NDArray[np.generic]:
    """(T, 3) RGB of every triangle: of its material, its texture, its vertices or its own."""
    visual = mesh.visual
    if isinstance(visual, TextureVisuals):
        if visual.uv is None or getattr(visual.material, "image", None) is None:
            return np.broadcast_to(visual.material.main_color[:3], (len(mesh.faces), 3))
        return visual.to_color().vertex_colors[mesh.faces][..., :3].mean(axis=1)
    if isinstance(visual, ColorVisuals) and visual.kind is not None:
        return visual.face_colors[:, :3]
    return np.broadcast_to(GREY, (len(mesh.faces), 3))
