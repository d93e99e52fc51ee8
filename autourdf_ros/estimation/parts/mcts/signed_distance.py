"""Exact signed distances to parts, with gradients: in place of the paper's trained networks."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import Part
from autourdf_ros.estimation.parts.mcts.winding_number import build_winding_tree
from autourdf_ros.geometry.arrays import Array

ON_SURFACE = 1e-6
"""Distance, in sizes of the part, below which the gradient is the triangle's normal: the precision
of Open3D's 32-bit numbers."""


CELLS = 200
"""Cells along a part's diagonal in which signs are remembered: 12 MB at most, and finer than the
margin of DW-CAVL."""

UNKNOWN, OUTSIDE, INSIDE = 0, 1, 2


class Field(Protocol):
    """A signed distance, negative inside."""

    def values(self, points: Array) -> Array:
        """Return the distances (N,) of points (N, 3), in metres."""

    def with_gradients(self, points: Array, unsigned: float = 0.0) -> tuple[Array, Array]:
        """Return the distances (N,) of points (N, 3), and their gradients (N, 3).

        Args:
            points: In metres.
            unsigned: Distance (m) up to which the sign does not matter to the caller and may be
                wrong.
        """


class SignedDistance:
    """Signed distance to a part's surface: exact, where the paper trains a network a part.

    The size is that of the nearest point of the triangles (Open3D). The sign is that of a ray's
    crossings where the mesh is one closed body, and of the generalised winding number elsewhere:
    shells, overlapping bodies and meshes with holes. What it changes against the paper:

    - A network is smooth and smooths thin walls and sharp gaps away; exact distances keep them, and
      |∇f| is 1 everywhere, so that a motion by t changes f by at most t. DW-CAVL leaves points out
      by that bound without any change of its value.
    - The gradient is discontinuous at the medial axis and at edges, where a network's is not.
    - There is no training, hence no seed, and no error where samples were rare.
    """

    def __init__(self, part: Part) -> None:
        """part: with at least one triangle."""
        import open3d as o3d

        self._middle = part.bounds.mean(axis=0)
        self._bounds = part.bounds - self._middle
        self._near = ON_SURFACE * max(part.diagonal, 1e-12)
        self._tensor = o3d.core.Tensor.from_numpy
        vertices = part.vertices - self._middle
        self._scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        self._scene.add_triangles(
            self._tensor(np.ascontiguousarray(vertices, np.float32)),
            self._tensor(np.ascontiguousarray(part.triangles, np.uint32)),
        )
        self.closed = is_one_closed_body(part)
        self._tree = None if self.closed else build_winding_tree(vertices, part.triangles)
        self._cell = max(part.diagonal, 1e-12) / CELLS
        extent = np.ptp(self._bounds, axis=0)
        self._shape = (extent / self._cell).astype(np.int64) + 1
        self._signs = np.zeros(int(self._shape.prod()), np.int8)

    def values(self, points: Array) -> Array:
        """Return the distances (N,) of points (N, 3), negative inside (m)."""
        moved = points - self._middle
        distances = self._scene.compute_distance(self._asked(moved), nthreads=1).numpy()
        return self._sign(moved, distances, 0.0) * distances

    def with_gradients(self, points: Array, unsigned: float = 0.0) -> tuple[Array, Array]:
        """Return the distances (N,) of points (N, 3) and their gradients (N, 3), unit vectors.

        Args:
            points: In metres.
            unsigned: Distance (m) up to which points count as outside.
        """
        moved = points - self._middle
        nearest, normals = self._nearest(moved)
        offsets = moved - nearest
        distances = np.linalg.norm(offsets, axis=1)
        signs = self._sign(moved, distances, unsigned)
        away = signs[:, None] * offsets / np.maximum(distances, 1e-300)[:, None]
        gradients = np.where((distances > self._near)[:, None], away, normals)
        return signs * distances, gradients

    def nearest(self, points: Array) -> Array:
        """Return the points (N, 3) of the surface nearest to points (N, 3)."""
        return self._nearest(points - self._middle)[0] + self._middle

    def _nearest(self, moved: Array) -> tuple[Array, Array]:
        found = self._scene.compute_closest_points(self._asked(moved), nthreads=1)
        return (
            found["points"].numpy().astype(np.float64),
            found["primitive_normals"].numpy().astype(np.float64),
        )

    def _sign(self, moved: Array, distances: Array, unsigned: float) -> Array:
        """-1 inside, else 1.

        A cell that holds a point farther from the surface than the cell's diagonal is on one side:
        its centre decides, once.
        """
        asked = ((moved >= self._bounds[0]) & (moved <= self._bounds[1])).all(axis=1)
        asked &= distances > unsigned
        clear = asked & (distances > np.sqrt(3) * self._cell)
        near = asked & ~clear
        signs = np.ones(len(moved))
        signs[near] = np.where(self._inside(moved[near]), -1.0, 1.0)
        signs[clear] = np.where(self._remembered(moved[clear]) == INSIDE, -1.0, 1.0)
        return signs

    def _remembered(self, moved: Array) -> NDArray[np.int8]:
        places = ((moved - self._bounds[0]) / self._cell).astype(np.int64)
        keys = np.ravel_multi_index(tuple(places.T), tuple(self._shape))
        new = np.unique(keys[self._signs[keys] == UNKNOWN])
        if len(new):
            corners = np.column_stack(np.unravel_index(new, tuple(self._shape)))
            centres = self._bounds[0] + (corners + 0.5) * self._cell
            self._signs[new] = np.where(self._inside(centres), INSIDE, OUTSIDE)
        return self._signs[keys]

    def _inside(self, moved: Array) -> NDArray[np.bool_]:
        if not len(moved):
            return np.zeros(0, np.bool_)
        if self._tree is None:
            occupancy = self._scene.compute_occupancy(self._asked(moved), nthreads=1)
            return np.asarray(occupancy.numpy() > 0.5)
        return np.abs(self._tree.winding(moved)) > 0.5

    def _asked(self, moved: Array) -> Any:
        return self._tensor(np.ascontiguousarray(moved, np.float32))


def is_one_closed_body(part: Part) -> bool:
    """Return whether a part's mesh is watertight and connected, once equal vertices are merged."""
    mesh = trimesh.Trimesh(part.vertices, part.triangles, process=True)
    return bool(mesh.is_watertight and mesh.body_count == 1)
