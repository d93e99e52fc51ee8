"""Axes about which a body may be symmetric: of its inertia, and of its corners and faces."""

from __future__ import annotations

import numpy as np
import trimesh

from autourdf_ros.geometry.arrays import Array

EQUAL = 0.02
"""Relative difference of two principal moments below which they may be equal."""
APART = np.cos(np.radians(1.0))
"""Cosine above which two candidate axes are one."""
MOST = 400
"""Candidate axes at most (resource bound)."""


def principal_axes(mesh: trimesh.Trimesh) -> tuple[Array, Array]:
    """Return principal moments (3,), rising, and axes (3, 3), as columns, about the centroid.

    They are of the surface, which need not be closed: every symmetry of a body is one of them.

    Args:
        mesh: Of the body, not empty.
    """
    corners = np.asarray(mesh.triangles, float) - surface_centre(mesh)
    # Mean of x x^T over a triangle: (9 m m^T + sum of corners' x x^T) / 12, m its middle.
    middles = corners.mean(axis=1)
    spread = np.einsum("tci,tcj->tij", corners, corners)
    spread += 9 * np.einsum("ti,tj->tij", middles, middles)
    second = np.einsum("t,tij->ij", mesh.area_faces, spread) / (12 * mesh.area)
    moments, axes = np.linalg.eigh(np.trace(second) * np.eye(3) - second)
    return moments, axes


def surface_centre(mesh: trimesh.Trimesh) -> Array:
    """Return the centroid (3,) of the surface (m)."""
    return np.average(mesh.triangles_center, axis=0, weights=mesh.area_faces)


def single_axis(moments: Array, axes: Array) -> Array | None:
    """Return the axis (3,) whose moment differs from two equal ones; None where there is none."""
    low, high = np.diff(moments) <= EQUAL * moments[2]
    if low == high:
        return None
    return np.asarray(axes[:, 2 if low else 0])


def candidate_axes(mesh: trimesh.Trimesh, moments: Array, axes: Array) -> Array:
    """Return unit axes (K, 3) about which the body may have a discrete symmetry.

    Where all moments differ, the principal axes are the only ones. Equal moments leave axes open:
    then those through corners of the convex hull, and the middles of its faces and edges, join.

    Args:
        mesh: Of the body.
        moments: (3,) of `principal_axes`.
        axes: (3, 3) of `principal_axes`.
    """
    if (np.diff(moments) > EQUAL * moments[2]).all():
        return axes.T
    single = single_axis(moments, axes)
    open_ones = _hull_directions(mesh)
    if single is not None:
        open_ones = open_ones - np.outer(open_ones @ single, single)
        return _distinct(np.vstack([single, _units(open_ones)]))
    return _distinct(np.vstack([axes.T, _units(open_ones)]))


def _hull_directions(mesh: trimesh.Trimesh) -> Array:
    hull = mesh.convex_hull
    centre = surface_centre(mesh)
    sizes = np.argsort(-hull.area_faces)
    edges = hull.vertices[hull.edges_unique].mean(axis=1)
    return np.vstack([hull.face_normals[sizes], hull.vertices - centre, edges - centre])


def _units(directions: Array) -> Array:
    lengths = np.linalg.norm(directions, axis=1)
    kept = lengths > 1e-3 * max(lengths.max(initial=0.0), 1e-300)
    return directions[kept] / lengths[kept, None]


def _distinct(axes: Array) -> Array:
    kept: list[Array] = []
    for axis in axes:
        if len(kept) == MOST:
            break
        if not kept or np.abs(np.array(kept) @ axis).max() < APART:
            kept.append(axis)
    return np.array(kept)
