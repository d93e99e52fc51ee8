"""Solids, and the bodies of an object that is built of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh
from numpy.typing import NDArray
from trimesh import creation, transformations

from autourdf_ros.data.parts.erased.mechanism import (
    Body,
    BodyJoint,
    Mechanism,
    MovingType,
    bare_mesh,
    joined_meshes,
)

Mesh = trimesh.Trimesh
Vector = Sequence[float] | NDArray[np.float64]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
OBLIQUE = 0.3
"""Share of the objects that stand at any angle about z; the others stand at a right angle."""
FINE = 0.3
"""Share of the objects whose triangles are divided, as those of a scan are."""
EDGE = 0.06
"""Longest edge of a divided triangle, as a share of the object's size."""


def box(low: Vector, high: Vector) -> Mesh:
    """Return the box between two corners (m)."""
    return creation.box(bounds=np.array([low, high], dtype=float))


def rod(start: Vector, end: Vector, radius: float, sections: int = 24) -> Mesh:
    """Return a cylinder from its two ends (m)."""
    ends = np.array([start, end], dtype=float)
    return creation.cylinder(radius=radius, segment=ends, sections=sections)


def ring(start: Vector, end: Vector, inner: float, outer: float, sections: int = 32) -> Mesh:
    """Return a tube from its two ends and its two radii (m)."""
    ends = np.array([start, end], dtype=float)
    return creation.annulus(r_min=inner, r_max=outer, segment=ends, sections=sections)


def turned(meshes: Sequence[Mesh], angle: float, axis: Vector, point: Vector) -> list[Mesh]:
    """Return meshes turned about an axis through a point (rad, m)."""
    matrix = transformations.rotation_matrix(angle, np.asarray(axis, float), np.asarray(point))
    return [mesh.copy().apply_transform(matrix) for mesh in meshes]


class ObjectBuilder:
    """The bodies of an object while it is built, and the random numbers that it is built by.

    Args:
        rng: Of all choices.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.bodies: list[Body] = []

    def between(self, low: float, high: float) -> float:
        """Return a number of a uniform distribution."""
        return float(self.rng.uniform(low, high))

    def lengths(self, *ranges: tuple[float, float]) -> list[float]:
        """Return a number of each of several uniform distributions."""
        return [self.between(*limits) for limits in ranges]

    def chance(self, share: float) -> bool:
        """Return true in a share of the calls."""
        return bool(self.rng.random() < share)

    def one(self, *values: str) -> str:
        """Return one of several words."""
        return values[int(self.rng.integers(len(values)))]

    def base(self, meshes: Sequence[Mesh]) -> None:
        """Add the body that stands still."""
        self.bodies.append(Body("base", -1, (), joined_meshes(meshes)))

    def turns(self, meshes: Sequence[Mesh], axis: Vector, point: Vector, parent: int = 0) -> int:
        """Add a body that turns about an axis through a point, and return its number."""
        return self._add(meshes, "revolute", axis, point, parent)

    def slides(self, meshes: Sequence[Mesh], axis: Vector, parent: int = 0) -> int:
        """Add a body that slides along an axis, and return its number."""
        return self._add(meshes, "prismatic", axis, meshes[0].bounds.mean(axis=0), parent)

    def _add(
        self, meshes: Sequence[Mesh], kind: MovingType, axis: Vector, point: Vector, parent: int
    ) -> int:
        number = len(self.bodies)
        unit = np.asarray(axis, float) / np.linalg.norm(axis)
        joint = BodyJoint(f"joint_{number}", kind, unit, np.asarray(point, float))
        self.bodies.append(Body(f"body_{number}", parent, (joint,), joined_meshes(meshes)))
        return number

    def finished(self, name: str) -> Mechanism:
        """Return the object at a random place and a random angle about z."""
        angle = self.between(0, 2 * np.pi)
        if not self.chance(OBLIQUE):
            angle = np.round(angle / (np.pi / 2)) * np.pi / 2
        place = transformations.rotation_matrix(angle, Z)
        place[:3, 3] = self.rng.uniform(-1, 1, 3)
        corners = np.vstack([body.mesh.bounds for body in self.bodies if body.mesh is not None])
        edge = EDGE * float(np.linalg.norm(np.ptp(corners, axis=0))) if self.chance(FINE) else None
        return Mechanism(name, tuple(_placed(body, place, edge) for body in self.bodies))


def _placed(body: Body, place: NDArray[np.float64], edge: float | None) -> Body:
    assert body.mesh is not None
    mesh = body.mesh.copy().apply_transform(place)
    vertices, faces = mesh.vertices, mesh.faces
    if edge is not None:
        vertices, faces = trimesh.remesh.subdivide_to_size(vertices, faces, edge)
    joints = tuple(
        BodyJoint(
            one.name, one.type, place[:3, :3] @ one.axis, place[:3, :3] @ one.point + place[:3, 3]
        )
        for one in body.joints
    )
    return Body(body.name, body.parent, joints, bare_mesh(vertices, faces))
