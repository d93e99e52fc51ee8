"""The light convex meshes of a link that planners and simulators check for collisions."""

from __future__ import annotations

from types import ModuleType
from typing import Literal, get_args

import manifold3d
import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from autourdf_ros.errors import InputError
from autourdf_ros.shape.collision.convex_parts import convex_parts
from autourdf_ros.shape.collision.passing_links import NO_PASSAGE, Passage

CollisionKind = Literal["auto", "hull", "coacd"]
"""hull: one convex mesh a link. auto: several where one would be much larger than the link (see
`convex_parts`). coacd: several, by CoACD (Wei et al., SIGGRAPH 2022), which takes 5 to 60 s a link.
"""

BUDGET = 4990
"""Triangles of all collision meshes of a robot, at most: with more than some thousands MoveIt's
setup assistant becomes slow, and then unusable."""

TOLERANCE = 1e-3
"""Metres by which a hull may stand out of the exact one, where its triangles suffice."""

LEAST = 48
"""Triangles that a convex mesh is always granted."""

_BEYOND = TOLERANCE / 10  # where a hull stops growing by vertices; what is left is made up for
_ROUNDING = 1e-9  # of a mesh's size
_SEEDS = LEAST // 2 + 2  # directions whose extreme vertices a hull starts from
_MOST = 6  # parts of a link; a seventh would gain little and leave too few triangles to each
_BLOCK = 1 << 22  # distances of points from planes that are in memory together: a resource bound
_CONCAVITY = 0.1  # of CoACD; half of it takes twice the time and triangles


def collision_meshes(
    mesh: trimesh.Trimesh,
    triangles: int,
    kind: CollisionKind = "auto",
    passing: Passage = NO_PASSAGE,
) -> tuple[trimesh.Trimesh, ...]:
    """Return convex meshes that contain a closed mesh, of at most `triangles` triangles.

    Every vertex of `mesh` is in one of them.

    Args:
        triangles: At least `LEAST`.
        passing: For auto, in the mesh's frame: what the meshes should leave out.

    Raises:
        InputError: for another kind, and where CoACD is asked for and not installed.
    """
    check_collision_kind(kind)
    vertices = np.asarray(mesh.vertices, float)
    if kind == "hull":
        return (light_hull(vertices, triangles),)
    most = triangles // LEAST
    parts = (
        convex_parts(mesh, min(_MOST, most), passing) if kind == "auto" else _decomposed(mesh, most)
    )
    parts = _covering(parts, vertices)
    return tuple(light_hull(part, triangles // len(parts)) for part in parts)


def check_collision_kind(kind: str) -> None:
    """Raise InputError where collision meshes of this kind cannot be made; long work asks first."""
    if kind not in get_args(CollisionKind):
        raise InputError(f"collision '{kind}': accepted is {', '.join(get_args(CollisionKind))}")
    if kind == "coacd":
        _coacd()


def light_hull(vertices: NDArray[np.float64], triangles: int) -> trimesh.Trimesh:
    """Return a convex mesh of at most `triangles` triangles that contains (N, 3) vertices.

    The hull of the extreme ones and of those then farthest outside, as in Quickhull (Barber et al.
    1996), until hardly any is; then enlarged to contain all. It stands out of the exact hull by
    `TOLERANCE` at most, or more where the triangles do not suffice.
    """
    outer = _hull(vertices).vertices
    most = triangles // 2 + 2  # vertices of a convex mesh of so many triangles
    spread = np.linalg.svd(outer - outer.mean(0), full_matrices=False)[0]  # so that none is flat
    chosen = np.unique(np.argmax(spread @ _sphere(_SEEDS).T, axis=0))
    while True:
        hull = _hull(outer[chosen])
        beyond = _beyond(hull, outer)
        far = np.unique(np.argmax(beyond, axis=0))
        far = np.setdiff1d(far[beyond[far].max(1) > _BEYOND], chosen)
        room = most - len(chosen)
        if room <= 0 or not len(far):
            break
        farthest_first = far[np.argsort(-beyond[far].max(1), kind="stable")]
        chosen = np.append(chosen, farthest_first[: max(1, room // 4)])
    return _enlarged(hull, outer)


def _enlarged(hull: trimesh.Trimesh, points: NDArray[np.float64]) -> trimesh.Trimesh:
    """With its vertices moved out along their normals until (N, 3) points are inside."""
    enlarged, step = hull, float(_beyond(hull, points).max())
    while _beyond(enlarged, points).max() > _ROUNDING * hull.scale:
        enlarged = _hull(hull.vertices + step * hull.vertex_normals)
        step *= 1.2
    return enlarged


def _beyond(hull: trimesh.Trimesh, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, F) signed distances of (N, 3) points from the planes of the faces, outside positive."""
    planes = _planes(hull.vertices)
    return points @ planes[:, :3].T + planes[:, 3]


def _planes(vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    """(F, 4) planes of the hull of (N, 3) vertices: outward normals, and distances.

    Qhull's: manifold3d's hulls have slivers, whose normals would say anything.
    """
    planes: NDArray[np.float64] = ConvexHull(vertices).equations
    return planes


def _hull(points: NDArray[np.float64]) -> trimesh.Trimesh:
    solid = manifold3d.Manifold.hull_points(points).to_mesh64()
    vertices, faces = np.array(solid.vert_properties[:, :3]), solid.tri_verts.astype(np.int64)
    hull = trimesh.Trimesh(vertices, faces, process=False)
    hull.update_faces(hull.area_faces > 0)
    return hull


def _decomposed(mesh: trimesh.Trimesh, most: int) -> list[NDArray[np.float64]]:
    """Vertices of at most `most` convex parts."""
    coacd = _coacd()
    coacd.set_log_level("error")
    parts = coacd.run_coacd(
        coacd.Mesh(mesh.vertices, mesh.faces), _CONCAVITY, max_convex_hull=most, seed=0
    )
    return [np.asarray(vertices, float) for vertices, _ in parts]


def _covering(
    parts: list[NDArray[np.float64]], vertices: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """The parts, each with the vertices that none contains and that it is nearest to."""
    planes = [_planes(part) for part in parts]
    outside = np.array([_outside(vertices, own) for own in planes])
    nearest = np.where(outside.min(0) > _ROUNDING, outside.argmin(0), -1)
    return [np.vstack([part, vertices[nearest == i]]) for i, part in enumerate(parts)]


def _outside(points: NDArray[np.float64], planes: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,) greatest distance of (N, 3) points from planes (F, 4), a block of points at a time."""
    step = max(1, _BLOCK // len(planes))
    blocks = [points[start : start + step] for start in range(0, len(points), step)]
    found = [(block @ planes[:, :3].T + planes[:, 3]).max(1) for block in blocks]
    return np.concatenate(found)


def _coacd() -> ModuleType:
    try:
        import coacd
    except ImportError as error:
        raise InputError(
            "collision 'coacd': the package coacd is not installed; install autourdf_ros[coacd], "
            "or choose 'hull'"
        ) from error
    return coacd


def _sphere(count: int) -> NDArray[np.float64]:
    """(count, 3) unit vectors, evenly spread (Fibonacci lattice)."""
    index = np.arange(count) + 0.5
    height = 1 - 2 * index / count
    angle = np.pi * (1 + np.sqrt(5)) * index
    radius = np.sqrt(1 - height**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])
