"""Bodies of scenes: solids with their mass properties, and static surroundings."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import ArrayLike, NDArray

from autourdf_ros.data.video.primitive_shapes import PrimitiveShape
from autourdf_ros.geometry.rigid_motion import from_translation
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, from_trimesh, merged
from autourdf_ros.simulation.mechanisms.finger_drives import FINGER
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismBody

Array = NDArray[np.float64]

BLUE, RED, GREEN, AMBER, SKIN = (
    np.array(color, np.uint8)
    for color in ((40, 90, 200), (205, 50, 45), (45, 150, 75), (225, 160, 30), (210, 150, 120))
)
_WALL, _FLOOR = np.array([200, 200, 195], np.uint8), np.array([120, 115, 105], np.uint8)
_THICKNESS = 0.02


def primitive_body(
    name: str, shape: PrimitiveShape, home: ArrayLike, mass: float, color: NDArray[np.uint8]
) -> MechanismBody:
    """Return a body of one density; its frame is the shape's centre, along the world's axes.

    Args:
        name: Of the body.
        shape: Its surface.
        home: (3,) its centre in the world where all joint values are 0 (m).
        mass: kg.
        color: RGB.
    """
    return solid_body(name, shape.solid(), home, mass, color, shape)


def solid_body(
    name: str,
    solid: trimesh.Trimesh,
    home: ArrayLike,
    mass: float,
    color: NDArray[np.uint8],
    primitive: PrimitiveShape | None = None,
) -> MechanismBody:
    """Return a body of one density from its closed surface; its frame is the surface's."""
    properties = trimesh.triangles.mass_properties(solid.triangles)
    density = mass / properties["volume"]
    return MechanismBody(
        name,
        from_trimesh(solid, color),
        from_translation(np.array(home, float)),
        mass,
        np.asarray(properties["center_mass"], float),
        np.asarray(properties["inertia"], float) * density,
        primitive,
    )


def finger(shape: PrimitiveShape, home: ArrayLike) -> MechanismBody:
    """Return the robot's finger; its mass is without meaning, since its motion is commanded."""
    body = primitive_body(FINGER, shape, home, 0.1, SKIN)
    return MechanismBody(**(vars(body) | {"is_driver": True}))


def box(size: ArrayLike, centre: ArrayLike) -> trimesh.Trimesh:
    """Return a box of three edges about a centre (m)."""
    solid = trimesh.creation.box(size)
    solid.apply_translation(centre)
    return solid


def rod(radius: float, start: ArrayLike, end: ArrayLike) -> trimesh.Trimesh:
    """Return a capsule whose caps have their centres at `start` and `end` (m)."""
    ends = np.array([start, end], float)
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    solid = PrimitiveShape("capsule", (radius, length)).solid()
    solid.apply_transform(trimesh.geometry.align_vectors([0, 0, 1], way / length))
    solid.apply_translation(ends.mean(axis=0))
    return solid


def joined(*solids: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return the union of solids that overlap."""
    return trimesh.boolean.union(solids, engine="manifold")


def hollow(outer: trimesh.Trimesh, cavity: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return a solid without what lies in a cavity."""
    return trimesh.boolean.difference([outer, cavity], engine="manifold")


def room(floor: float, wall: float | None = None, half: float = 1.6) -> SurfaceMesh:
    """Return a floor, and a wall behind it.

    Args:
        floor: Its height (m).
        wall: y of the wall (m), or None.
        half: Half width of both (m).
    """
    plates = [
        from_trimesh(box((2 * half, 2 * half, _THICKNESS), (0, 0, floor - _THICKNESS / 2)), _FLOOR)
    ]
    if wall is not None:
        plate = box((2 * half, _THICKNESS, 2 * half), (0, wall + _THICKNESS / 2, floor + half))
        plates.append(from_trimesh(plate, _WALL))
    surface = merged(plates)
    assert surface is not None
    return surface
