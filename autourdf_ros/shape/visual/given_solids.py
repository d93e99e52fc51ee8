"""The solids of links whose meshes were given, such as the parts of an assembly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray

from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.progress import Progress, silent
from autourdf_ros.shape.visual.closed_mesh import closed_mesh
from autourdf_ros.shape.visual.link_solids import LinkSolid

MOST_TRIANGLES = 200_000
"""Of all links' visual meshes together: a resource bound, of web pages and of MuJoCo."""

_SAMPLES = (1000, 3000)  # points of an open mesh that it is closed from: a resource bound
_SAMPLES_IN_ALL = 45_000  # of all meshes together, where that allows them the least: likewise
_CLOSED = 4000  # triangles of a mesh that had to be closed: a resource bound
_UNEVEN = 1e-3  # of the mean edge: far below what a quarter as many triangles can show


def given_solids(
    meshes: Sequence[trimesh.Trimesh], most: int = MOST_TRIANGLES, progress: Progress = silent
) -> tuple[LinkSolid, ...]:
    """Return the given meshes as they are to be shown, each with a closed one for mass and contact.

    A closed mesh stands for itself. An open one is closed from points on it (`closed_mesh`). Meshes
    are decimated only where all together have more than `most` triangles, the largest first.

    Args:
        meshes: Of the links, in the base frame at the reference configuration (m).
        most: Triangles of all together.
        progress: Is called with stage and fraction.
    """
    shares = triangle_shares([len(mesh.faces) for mesh in meshes], most)
    samples = int(np.clip(_SAMPLES_IN_ALL // max(len(meshes), 1), *_SAMPLES))
    solids = []
    for number, (mesh, share) in enumerate(zip(meshes, shares, strict=True)):
        progress(f"mesh {number + 1} of {len(meshes)}", number / len(meshes))
        shown = _decimated(mesh, share)
        closed = _closed(shown, samples)
        solids.append(LinkSolid(closed, np.zeros(len(closed.faces)), shown))
    return tuple(solids)


def is_solid(mesh: trimesh.Trimesh) -> bool:
    """Return whether a mesh bounds a volume, with its triangles facing outward."""
    return bool(_merged(mesh).is_volume)


def triangle_shares(counts: Sequence[int], most: int) -> list[int]:
    """Return how many triangles each of several meshes may have, `most` in all.

    Small meshes keep all they have; the others share the rest evenly.
    """
    shares, left = list(counts), most
    for place, index in enumerate(sorted(range(len(counts)), key=lambda i: counts[i])):
        shares[index] = min(counts[index], left // (len(counts) - place))
        left -= shares[index]
    return shares


def _merged(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mesh with corners at one place joined, whatever their normals, facing outward."""
    merged = trimesh.Trimesh(np.array(mesh.vertices), np.array(mesh.faces), process=False)
    merged.merge_vertices(merge_norm=True, merge_tex=True)
    if merged.is_watertight and merged.volume < 0:
        merged.invert()
    return merged


def _closed(mesh: trimesh.Trimesh, samples: int) -> trimesh.Trimesh:
    merged = _merged(mesh)
    if merged.is_volume:
        return merged
    points, faces = trimesh.sample.sample_surface(merged, samples, seed=0)
    normals: NDArray[np.float64] = merged.face_normals[faces]
    closed = closed_mesh(Surface(np.asarray(points, float), normals), _CLOSED)
    return merged.convex_hull if closed is None else closed


def _decimated(mesh: trimesh.Trimesh, triangles: int) -> trimesh.Trimesh:
    """At most about `triangles` triangles (Garland and Heckbert, 1997).

    In a plane all collapses cost nothing, and one corner would gather thousands of triangles, each
    of which is looked at again for every collapse: so corners are moved by a trace of noise.
    """
    if len(mesh.faces) <= triangles:
        return mesh
    found = o3d.geometry.TriangleMesh(
        o3d.utility.Vector3dVector(np.asarray(mesh.vertices, float)),
        o3d.utility.Vector3iVector(np.asarray(mesh.faces)),
    )
    # The simplification would tear the surface open where triangles do not share their corners.
    found = found.merge_close_vertices(1e-7)
    corners, faces = np.asarray(found.vertices), np.asarray(found.triangles)
    edges = np.linalg.norm(corners[faces[:, 0]] - corners[faces[:, 1]], axis=1)
    noise = np.random.default_rng(0).standard_normal(corners.shape)
    found.vertices = o3d.utility.Vector3dVector(corners + _UNEVEN * edges.mean() * noise)
    found = found.simplify_quadric_decimation(max(triangles, 4))
    return trimesh.Trimesh(np.asarray(found.vertices), np.asarray(found.triangles), process=False)
