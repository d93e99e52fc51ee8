"""Planes that cut a solid into parts whose convex hulls hardly stand out of it."""

from __future__ import annotations

from dataclasses import dataclass

import manifold3d
import numpy as np
import trimesh
from numpy.typing import NDArray

GAIN = 0.1
"""Share of the solid's volume by which a cut must make the hulls smaller, or it is not made."""

_PLACES = 9  # planes along each principal axis of a part that are tried
_COARSE = 0.004  # of the solid's size: what may be left out of it while planes are tried

_Plane = tuple[NDArray[np.float64], float]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the solid, and its best cut.

    coarse: the part simplified. gain: m³ that the hulls of both sides are smaller by.
    """

    solid: manifold3d.Manifold
    coarse: manifold3d.Manifold
    gain: float
    plane: _Plane | None


def convex_parts(mesh: trimesh.Trimesh, most: int) -> list[NDArray[np.float64]]:
    """Vertices of the parts, at most `most`, whose hulls together contain a closed mesh.

    Starts from the whole and cuts the part that gains most, at the best of some planes across its
    principal axes, until no cut gains `GAIN`: the greedy search of Lien and Amato (2007), by volume
    instead of depth. A hollow that takes two cuts to open may stay closed. A mesh that is not
    closed stays whole.
    """
    solid = manifold3d.Manifold(
        manifold3d.Mesh64(np.array(mesh.vertices, float), np.array(mesh.faces, np.uint64))
    )
    if solid.status() != manifold3d.Error.NoError or solid.volume() <= 0:
        return [np.asarray(mesh.vertices, float)]
    least = GAIN * solid.volume()
    parts = [_part(solid, solid.simplify(_COARSE * mesh.scale))]
    while len(parts) < most:
        hollow = max(parts, key=lambda part: part.gain)
        if hollow.plane is None or hollow.gain < least:
            break
        sides = zip(
            hollow.solid.split_by_plane(*hollow.plane),
            hollow.coarse.split_by_plane(*hollow.plane),
            strict=True,
        )
        parts.remove(hollow)
        parts += [_part(*side) for side in sides if not side[0].is_empty()]
    return [np.array(part.solid.to_mesh64().vert_properties[:, :3]) for part in parts]


def _part(solid: manifold3d.Manifold, coarse: manifold3d.Manifold) -> _Part:
    content = coarse.to_mesh64()
    vertices, faces = np.array(content.vert_properties[:, :3]), content.tri_verts.astype(int)
    best, plane = 0.0, None
    if len(faces):
        whole = _hull_volume(vertices)
        edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        for tried in _planes(vertices):
            gain = whole - sum(map(_hull_volume, _sides(vertices, edges, tried)))
            if gain > best:
                best, plane = gain, tried
    return _Part(solid, coarse, best, plane)


def _planes(vertices: NDArray[np.float64]) -> list[_Plane]:
    axes = np.linalg.svd(vertices - vertices.mean(0), full_matrices=False)[2]
    heights = vertices @ axes.T
    steps = np.linspace(heights.min(0), heights.max(0), _PLACES + 2)[1:-1]
    return [
        (axis, float(height)) for axis, row in zip(axes, steps.T, strict=True) for height in row
    ]


def _sides(
    vertices: NDArray[np.float64], edges: NDArray[np.int64], plane: _Plane
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points whose hulls are those of the solid's two sides of a plane."""
    axis, height = plane
    above = vertices @ axis - height
    one, two = above[edges].T
    across = one * two < 0
    share = one[across] / (one[across] - two[across])
    start, end = vertices[edges[across, 0]], vertices[edges[across, 1]]
    rim = start + share[:, None] * (end - start)
    return np.vstack([vertices[above >= 0], rim]), np.vstack([vertices[above <= 0], rim])


def _hull_volume(points: NDArray[np.float64]) -> float:
    return float(manifold3d.Manifold.hull_points(points).volume())
