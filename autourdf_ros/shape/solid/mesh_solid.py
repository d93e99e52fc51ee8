"""The body inside a mesh, as volume elements."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.column_crossings import Intervals, intervals_inside
from autourdf_ros.shape.solid.column_elements import column_elements
from autourdf_ros.shape.solid.column_grid import ColumnGrid, column_grid
from autourdf_ros.shape.solid.solid_body import SolidBody
from autourdf_ros.shape.solid.solid_options import SOLID_OPTIONS, SolidOptions
from autourdf_ros.shape.visual.closed_mesh import closed_mesh

Array = NDArray[np.float64]

_SAMPLES = 5000  # points of an open mesh that it is closed from: a resource bound
_DENSER = 4  # points that are drawn for each that is taken: a resource bound


def mesh_solid(
    mesh: trimesh.Trimesh,
    surface: ColouredSurface | None = None,
    options: SolidOptions = SOLID_OPTIONS,
) -> SolidBody:
    """Return the body inside a mesh: the union of its components, without cavities.

    An open mesh is closed first, from points on it.

    Args:
        mesh: In the object's frame (m).
        surface: Points whose colours the elements take; None leaves them without.
        options: How fine.

    Raises:
        InputError: the mesh bounds no volume.
    """
    merged = trimesh.Trimesh(np.array(mesh.vertices), np.array(mesh.faces), process=False)
    merged.merge_vertices(merge_norm=True, merge_tex=True)
    if len(merged.faces) < 4 or not np.isfinite(merged.vertices).all():
        raise InputError(f"mesh of {len(merged.faces)} triangles; accepted is one with a volume")
    found = _elements(merged, options)
    if found is None:
        found = _elements(_closed(merged), options)
    if found is None:
        raise InputError("mesh that bounds no volume, even when closed; accepted is one that does")
    centres, volumes, moments = found
    colours = None if surface is None else nearest_colours(surface, centres)
    seen = np.ones(len(centres), bool)
    std = options.mesh_std * float(np.linalg.norm(merged.extents))
    return SolidBody(centres, volumes, moments, colours, seen, std)


def even_points(mesh: trimesh.Trimesh, count: int = 2000) -> Array:
    """Return points (count, 3) that lie evenly on a mesh, however its vertices lie.

    Args:
        mesh: With a surface (m).
        count: Of points: by default as many as a cloud of the payload benchmark has.
    """
    drawn = np.asarray(trimesh.sample.sample_surface(mesh, _DENSER * count, seed=0)[0], float)
    return drawn[farthest_point_indices(drawn, count)]


def nearest_colours(surface: ColouredSurface, places: Array) -> Array | None:
    """Return the colours (n, 3) of the surface points nearest to places (n, 3); None without."""
    if surface.colours is None:
        return None
    return surface.colours[cKDTree(surface.points).query(places)[1]]


def _elements(mesh: trimesh.Trimesh, options: SolidOptions) -> tuple[Array, Array, Array] | None:
    """Centres, volumes and moments in the mesh's frame; None for a mesh that leaks.

    Columns run along the shortest side of the box: thin walls are measured exactly.
    """
    turn = np.roll(np.eye(3), 2 - int(mesh.extents.argmin()), axis=0)
    turned = trimesh.Trimesh(mesh.vertices @ turn.T, mesh.faces, process=False)
    grid, inside = _first_guess(turned, options)
    volume = _volume(grid, inside)
    if inside.leaks > options.most_leaks or volume <= 0:
        return None
    grid = column_grid(
        np.asarray(turned.bounds), (volume / options.elements) ** (1 / 3), options.columns
    )
    centres, volumes, moments = column_elements(grid, intervals_inside(turned, grid))
    return centres @ turn, volumes, turn.T @ moments @ turn


def _first_guess(mesh: trimesh.Trimesh, options: SolidOptions) -> tuple[ColumnGrid, Intervals]:
    """Columns of a grid as if the mesh filled its box: they show the volume and the leaks."""
    cell = (float(np.prod(mesh.extents)) / options.elements) ** (1 / 3)
    cell = max(cell, float(mesh.extents.max()) / options.elements)
    grid = column_grid(np.asarray(mesh.bounds), cell, 1)
    return grid, intervals_inside(mesh, grid)


def _volume(grid: ColumnGrid, inside: Intervals) -> float:
    return float((inside.ends - inside.starts).sum()) * grid.step**2


def _closed(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    points, faces = trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)
    closed = closed_mesh(Surface(np.asarray(points, float), mesh.face_normals[faces]), _SAMPLES)
    return mesh.convex_hull if closed is None else closed
