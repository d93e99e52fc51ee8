"""How near the shape of splats is to the true one, as Hu, Yu and Tan (2025) measure it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh
from scipy.spatial import KDTree

from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.shape.visual.closed_mesh import closed_mesh

POINTS = 10_000  # on either mesh, as in the paper, section 4.1
_TRIANGLES = 8_000  # of a link


def shape_error(
    found: FittedAppearance,
    surfaces: Sequence[SurfaceMesh | None],
    configurations: Sequence[Array],
    seed: int,
) -> float:
    """Return the mean Chamfer distance (m^2) of meshes of the splats and of the robot.

    The mean squared distances to the nearest point, summed over both directions, of 10,000 points
    drawn on either mesh. A link's mesh closes the places of its splats (the paper has alpha
    shapes).

    Args:
        found: Splats, with L links.
        surfaces: (L,) true ones in the links' frames, None where a link has none.
        configurations: Poses (L, 4, 4) of the links in the world, in turn.
        seed: Of the points that are drawn.
    """
    own = [_mesh(found, number) for number in range(len(found.names))]
    true = [
        None if surface is None else trimesh.Trimesh(surface.vertices, surface.triangles)
        for surface in surfaces
    ]
    distances = []
    for poses in configurations:
        one, two = (_points(meshes, poses, seed) for meshes in (own, true))
        there, back = KDTree(two).query(one)[0], KDTree(one).query(two)[0]
        distances.append(np.mean(there**2) + np.mean(back**2))
    return float(np.mean(distances))


def _mesh(found: FittedAppearance, number: int) -> trimesh.Trimesh | None:
    chosen = found.links == number
    normals = found.splats.normals[chosen].astype(float)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return closed_mesh(Surface(found.splats.means[chosen].astype(float), normals), _TRIANGLES)


def _points(meshes: Sequence[trimesh.Trimesh | None], poses: Array, seed: int) -> Array:
    moved = [
        mesh.copy().apply_transform(pose)
        for mesh, pose in zip(meshes, poses, strict=True)
        if mesh is not None
    ]
    points, _ = trimesh.sample.sample_surface(trimesh.util.concatenate(moved), POINTS, seed=seed)
    return np.asarray(points)
