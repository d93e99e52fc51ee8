"""The light convex mesh of a link that planners and simulators check for collisions."""

from __future__ import annotations

import manifold3d
import numpy as np
import trimesh
from numpy.typing import NDArray

DIRECTIONS = 120
"""Support directions; a convex mesh has at most twice as many triangles."""


def convex_mesh(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Convex mesh of at most a few hundred triangles that contains all vertices of `mesh`.

    The hull of the support points along evenly spread directions, grown about its centre until
    it contains the rest.
    """
    vertices = np.asarray(mesh.vertices, float)
    support = vertices[np.unique(np.argmax(vertices @ _sphere(DIRECTIONS).T, axis=0))]
    solid = manifold3d.Manifold.hull_points(support)
    hull = solid.to_mesh64()
    light = trimesh.Trimesh(
        np.array(hull.vert_properties[:, :3]), hull.tri_verts.astype(np.int64), process=False
    )
    centre = light.vertices.mean(0)
    heights = ((light.triangles[:, 0] - centre) * light.face_normals).sum(1)
    inside = heights > 1e-9 * light.scale
    reach = ((vertices - centre) @ light.face_normals[inside].T).max(0)
    growth = max(1.0, float((reach / heights[inside]).max()))
    light.vertices = centre + growth * (light.vertices - centre)
    return light


def _sphere(count: int) -> NDArray[np.float64]:
    """(count, 3) unit vectors, evenly spread (Fibonacci lattice)."""
    index = np.arange(count) + 0.5
    height = 1 - 2 * index / count
    angle = np.pi * (1 + np.sqrt(5)) * index
    radius = np.sqrt(1 - height**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])
