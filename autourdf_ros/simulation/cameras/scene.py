"""Surfaces around the robot: the ground and clutter."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh

GROUND_COLOR = np.array([120, 115, 105], dtype=np.uint8)


def ground(center: NDArray[np.float64], radius: float, height: float) -> SurfaceMesh:
    """Return a square floor of half-width 3 radii below `center` (3,), at `height` (m)."""
    plate = trimesh.creation.box((6 * radius, 6 * radius, 0.01))
    plate.apply_translation([center[0], center[1], height - 0.005])
    return from_trimesh(plate, GROUND_COLOR)


def clutter(
    center: NDArray[np.float64],
    radius: float,
    height: float,
    count: int,
    rng: np.random.Generator,
) -> list[SurfaceMesh]:
    """Return boxes, cylinders and balls on the ground, outside the robot's reach.

    Args:
        center: (3,) centre of the sphere that contains the robot, metres.
        radius: of this sphere, metres.
        height: of the ground, metres.
    """
    things = []
    for index in range(count):
        size = radius * rng.uniform(0.08, 0.2, 3)
        thing = (
            trimesh.creation.box(size),
            trimesh.creation.cylinder(size[0] / 2, size[2]),
            trimesh.creation.icosphere(subdivisions=3, radius=size[2] / 2),
        )[index % 3]
        angle, distance = rng.uniform(0, 2 * np.pi), radius * rng.uniform(1.2, 1.5)
        thing.apply_transform(trimesh.transformations.rotation_matrix(angle, [0, 0, 1]))
        place = center[:2] + distance * np.array([np.cos(angle), np.sin(angle)])
        thing.apply_translation([*place, height + size[2] / 2])
        things.append(from_trimesh(thing, rng.integers(40, 220, 3).astype(np.uint8)))
    return things
