"""Mass properties of a URDF's links by their shapes: the prior of what measurements find."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import trimesh

from autourdf_ros.model.urdf.described_robot import DescribedLink, DescribedRobot, Shape
from autourdf_ros.model.urdf.mesh_reading import MeshFile, read_meshes
from autourdf_ros.shape.mass_properties import DENSITY, MassProperties, mass_properties


def masses_by_shape(
    robot: DescribedRobot, density: float = DENSITY
) -> dict[str, MassProperties | None]:
    """Return mass properties of every link as a solid of one density, in its frame; None if bare.

    A link's visual shapes count, or its collision shapes where no visual one can be read. A mesh
    that bounds no volume stands for its convex hull.

    Args:
        robot: The URDF.
        density: kg/m³.
    """
    files = read_meshes(robot)
    return {link.name: _by_shape(link, files, density) for link in robot.links}


def link_solid(robot: DescribedRobot, name: str) -> trimesh.Trimesh | None:
    """Return the shape of a link in its frame, as `masses_by_shape` takes it; None if bare."""
    link = next(one for one in robot.links if one.name == name)
    return _whole(link, read_meshes(robot))


def _by_shape(
    link: DescribedLink, files: Mapping[str, MeshFile], density: float
) -> MassProperties | None:
    solid = _whole(link, files)
    return None if solid is None else mass_properties(solid, density)


def _whole(link: DescribedLink, files: Mapping[str, MeshFile]) -> trimesh.Trimesh | None:
    for role in ("visual", "collision"):
        shapes = [shape for shape in link.shapes if shape.role == role]
        solids = [solid for shape in shapes if (solid := _solid(shape, files)) is not None]
        if solids:
            return _joined(solids)
    return None


def _joined(solids: list[trimesh.Trimesh]) -> trimesh.Trimesh:
    starts = np.cumsum([0, *(len(one.vertices) for one in solids[:-1])])
    faces = [one.faces + start for one, start in zip(solids, starts, strict=True)]
    vertices = np.vstack([one.vertices for one in solids])
    return trimesh.Trimesh(vertices, np.vstack(faces), process=False)


def _solid(shape: Shape, files: Mapping[str, MeshFile]) -> trimesh.Trimesh | None:
    if shape.kind == "mesh":
        mesh = files[shape.filename].mesh
        if mesh is None:
            return None
        mesh = mesh.copy().apply_scale(shape.scale)
    elif shape.half_size is not None:
        mesh = _primitive(shape.kind, shape.half_size)
    else:
        return None
    if not mesh.is_volume:
        if np.linalg.matrix_rank(mesh.vertices - mesh.vertices[0]) < 3:
            return None
        mesh = mesh.convex_hull
    return mesh.apply_transform(shape.pose)


def _primitive(kind: str, half: np.ndarray) -> trimesh.Trimesh:
    """A primitive that fills the box of half sizes (3,), about the origin, its axis along z."""
    if kind == "box":
        return trimesh.creation.box(2 * half)
    if kind == "sphere":
        return trimesh.creation.icosphere(3, float(half[0]))
    if kind == "capsule":
        capsule = trimesh.creation.capsule(2 * float(half[2] - half[0]), float(half[0]))
        return capsule.apply_translation(-capsule.bounds.mean(axis=0))
    return trimesh.creation.cylinder(float(half[0]), 2 * float(half[2]))
