"""Planes that cut a solid into parts whose convex hulls hardly stand out of it."""

from __future__ import annotations

from dataclasses import dataclass

import manifold3d
import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from autourdf_ros.shape.collision.passing_links import NO_PASSAGE, Passage

GAIN = 0.1
"""Share of the solid's volume by which a cut must make the hulls smaller, or it is not made;"""
SPARED = 0.01
"""or it must spare a false alarm in this share of the configurations in which links pass it."""

_PLACES = 9  # planes along each principal axis and diagonal of a part that are tried
_COARSE = 0.004  # of the solid's size: what may be left out of it while planes are tried

_Plane = tuple[NDArray[np.float64], float]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the solid, and its best cut.

    Attributes:
        coarse: The part simplified.
        passing: What is in its hull and should not be.
        gain: Of the cut, 1 where it is just worth it.
    """

    solid: manifold3d.Manifold
    coarse: manifold3d.Manifold
    passing: Passage
    gain: float
    plane: _Plane | None


def convex_parts(
    mesh: trimesh.Trimesh, most: int, passing: Passage = NO_PASSAGE
) -> list[NDArray[np.float64]]:
    """Return the vertices of at most `most` parts whose hulls contain a closed mesh.

    Starts from the whole and cuts the part that gains most, at the best of some planes across its
    principal axes and the diagonals between these, until no cut gains `GAIN` or `SPARED`: the
    greedy search of Lien and Amato (2007), by volume instead of depth, and by what passes through
    the hulls. A hollow that takes two cuts to open may stay closed. A mesh that is not closed stays
    whole.

    Args:
        passing: In the mesh's frame.
    """
    solid = manifold3d.Manifold(
        manifold3d.Mesh64(np.array(mesh.vertices, float), np.array(mesh.faces, np.uint64))
    )
    if solid.status() != manifold3d.Error.NoError or solid.volume() <= 0:
        return [np.asarray(mesh.vertices, float)]
    least, slack = GAIN * solid.volume(), _COARSE * float(mesh.scale)
    parts = [_part(solid, solid.simplify(slack), passing, least, slack)]
    while len(parts) < most:
        hollow = max(parts, key=lambda part: part.gain)
        if hollow.plane is None or hollow.gain < 1:
            break
        sides = zip(
            hollow.solid.split_by_plane(*hollow.plane),
            hollow.coarse.split_by_plane(*hollow.plane),
            strict=True,
        )
        parts.remove(hollow)
        parts += [
            _part(*side, hollow.passing, least, slack) for side in sides if not side[0].is_empty()
        ]
    return [np.array(part.solid.to_mesh64().vert_properties[:, :3]) for part in parts]


def _part(
    solid: manifold3d.Manifold,
    coarse: manifold3d.Manifold,
    passing: Passage,
    least: float,
    slack: float,
) -> _Part:
    """A part with the best cut.

    Args:
        least: m³ that are worth a cut by themselves.
        slack: m that the coarse part may lack: what is so near to its hull counts as inside.
    """
    content = coarse.to_mesh64()
    vertices, faces = np.array(content.vert_properties[:, :3]), content.tri_verts.astype(int)
    best, plane = 0.0, None
    if len(faces):
        whole = manifold3d.Manifold.hull_points(vertices)
        passing = passing.of(_within(whole, passing.points, slack))
        weights = passing.weights
        edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        for tried in _planes(vertices):
            hulls = [
                manifold3d.Manifold.hull_points(side) for side in _sides(vertices, edges, tried)
            ]
            inside = np.any([_within(hull, passing.points, slack) for hull in hulls], axis=0)
            volume = whole.volume() - sum(hull.volume() for hull in hulls)
            gain = volume / least + weights[~inside].sum() / SPARED
            if gain > best:
                best, plane = gain, tried
    return _Part(solid, coarse, passing, best, plane)


def _planes(vertices: NDArray[np.float64]) -> list[_Plane]:
    axes = np.linalg.svd(vertices - vertices.mean(0), full_matrices=False)[2]
    diagonals = [axes[i] + sign * axes[j] for i in range(3) for j in range(i) for sign in (1, -1)]
    axes = np.vstack([axes, np.array(diagonals) / np.sqrt(2)])
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


def _within(
    hull: manifold3d.Manifold, points: NDArray[np.float64], slack: float
) -> NDArray[np.bool_]:
    """(N,) whether (N, 3) points are in a convex body, or outside by `slack` (m) at most.

    By Qhull's planes: manifold3d's hulls have slivers, whose normals would say anything.
    """
    if not len(points) or hull.is_empty():
        return np.zeros(len(points), bool)
    try:
        planes = ConvexHull(np.array(hull.to_mesh64().vert_properties[:, :3])).equations
    except QhullError:  # it is flat but for rounding
        return np.zeros(len(points), bool)
    within: NDArray[np.bool_] = (points @ planes[:, :3].T + planes[:, 3] <= slack).all(1)
    return within
