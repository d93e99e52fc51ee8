"""What can be seen of every body of a robot: the visual geometries of its URDF."""

from __future__ import annotations

from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
import trimesh
from numpy.typing import NDArray

from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh, merged, read_mesh


def body_surfaces(visual: pin.GeometryModel, bodies: int) -> list[SurfaceMesh | None]:
    """Return the visual surface of every body in its own frame, None for one without any.

    Raises InputError naming a mesh file that cannot be read.
    """
    cache: dict[tuple[str, bytes], SurfaceMesh | None] = {}
    parts: list[list[SurfaceMesh]] = [[] for _ in range(bodies)]
    for item in visual.geometryObjects:
        color = np.round(np.clip(item.meshColor[:3], 0, 1) * 255).astype(np.uint8)
        pose = item.placement.homogeneous
        primitive = _primitive(item.geometry)
        surface: SurfaceMesh | None
        if primitive is not None:
            surface = from_trimesh(primitive, color)
        else:
            key = item.meshPath, color.tobytes()
            if key not in cache:
                cache[key] = read_mesh(Path(item.meshPath), color)
            surface = cache[key]
            if surface is None:
                surface = _from_assimp(item.geometry, color)
            else:
                pose = pose @ np.diag([*item.meshScale, 1.0])
        parts[item.parentJoint].append(surface.transformed(pose))
    return [merged(part) for part in parts]


def _primitive(shape: coal.CollisionGeometry) -> trimesh.Trimesh | None:
    if isinstance(shape, coal.Box):
        return trimesh.creation.box(2 * shape.halfSide)
    if isinstance(shape, coal.Cylinder):
        return trimesh.creation.cylinder(shape.radius, 2 * shape.halfLength, sections=64)
    if isinstance(shape, coal.Sphere):
        return trimesh.creation.icosphere(subdivisions=4, radius=shape.radius)
    if isinstance(shape, coal.Capsule):
        capsule = trimesh.creation.capsule(2 * shape.halfLength, shape.radius, count=[64, 64])
        return capsule.apply_translation(-capsule.bounds.mean(axis=0))
    return None


def _from_assimp(mesh: coal.BVHModelBase, color: NDArray[np.uint8]) -> SurfaceMesh:
    """Return what Pinocchio read, already scaled: Assimp takes files that trimesh does not."""
    corners = (mesh.tri_indices(index) for index in range(mesh.num_tris))
    triangles = [[corner[0], corner[1], corner[2]] for corner in corners]
    return SurfaceMesh(
        np.asarray(mesh.vertices(), dtype=np.float32),
        np.array(triangles, dtype=np.uint32),
        np.broadcast_to(color, (len(triangles), 3)),
    )
