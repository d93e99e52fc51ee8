"""Points on the visual meshes of a result folder, for splats to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.estimate_splats import LinkSurfaces
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, merged, read_mesh
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.urdf.mesh_location import locate
from autourdf_ros.model.urdf.urdf_reading import read_description

_SPARE = 3  # points that are drawn at random for one that is kept, evenly spread


def link_surfaces(folder: Path, names: tuple[str, ...], count: int) -> LinkSurfaces:
    """Return about `count` points, evenly spread over the visual meshes.

    Args:
        folder: Result folder.
        names: Of the links, in the order of their numbers.
        count: Of all links together.

    Raises:
        InputError: No link has a visual mesh, or one cannot be read.
    """
    meshes = {name: mesh for name in names if (mesh := visual_mesh(folder, name)) is not None}
    if not meshes:
        raise InputError(f"{folder / URDF}: no link has a visual mesh; accepted is one with meshes")
    return spread_surfaces(meshes, names, count)


def spread_surfaces(
    meshes: Mapping[str, SurfaceMesh], names: tuple[str, ...], count: int
) -> LinkSurfaces:
    """Return about `count` points, evenly spread over the meshes of links in their frames.

    Args:
        meshes: By name of the link, at least one.
        names: Of all links, in the order of their numbers.
        count: Of all links together.
    """
    areas = {name: _as_trimesh(mesh).area for name, mesh in meshes.items()}
    found = []
    for name, mesh in meshes.items():
        own = max(4, round(count * areas[name] / sum(areas.values())))
        points, normals, colors = _spread(mesh, own)
        number = np.full(len(points), names.index(name))
        found.append((points, normals, colors, number))
    points, normals, colors, numbers = (np.concatenate(group) for group in zip(*found, strict=True))
    return LinkSurfaces(names, points, normals, colors, numbers.astype(np.int64))


def visual_mesh(folder: Path, name: str) -> SurfaceMesh | None:
    """Return a link's visual meshes as one in its frame, or None where it has none.

    Raises:
        InputError: One cannot be read.
    """
    robot = read_description(folder / URDF)
    (link,) = [link for link in robot.links if link.name == name]
    meshes = []
    for shape in link.shapes:
        if shape.role == "visual" and shape.kind == "mesh":
            mesh = read_mesh(locate(shape.filename, robot.path))
            if mesh is not None:
                meshes.append(mesh.transformed(shape.pose @ np.diag([*shape.scale, 1.0])))
    return merged(meshes)


def _as_trimesh(mesh: SurfaceMesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)


def _spread(
    mesh: SurfaceMesh, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return points, normals and colours (count, 3), evenly spread."""
    solid = _as_trimesh(mesh)
    drawn, faces = trimesh.sample.sample_surface(solid, _SPARE * count, seed=0)
    kept = farthest_point_indices(np.asarray(drawn), count)
    faces = faces[kept]
    return np.asarray(drawn)[kept], solid.face_normals[faces], mesh.colors[faces] / 255.0
