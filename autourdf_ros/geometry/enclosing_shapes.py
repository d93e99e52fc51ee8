"""Find the smallest simple bodies that contain a link's mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import trimesh
from numpy.typing import NDArray

ShapeKind = Literal["mesh", "box", "cylinder", "capsule", "sphere"]


@dataclass(frozen=True)
class Box:
    """A box.

    Attributes:
        size: (3,) lengths of its sides (m).
        pose: (4, 4) of its centre.
    """

    size: NDArray[np.float64]
    pose: NDArray[np.float64]


@dataclass(frozen=True)
class Cylinder:
    """A cylinder.

    Attributes:
        radius: m.
        length: m.
        pose: (4, 4) of its centre, its axis along z.
    """

    radius: float
    length: float
    pose: NDArray[np.float64]


@dataclass(frozen=True)
class Sphere:
    """A ball.

    Attributes:
        radius: m.
        pose: (4, 4) of its centre.
    """

    radius: float
    pose: NDArray[np.float64]


Primitive = Box | Cylinder | Sphere


def enclosing(mesh: trimesh.Trimesh, kind: ShapeKind) -> tuple[Primitive, ...]:
    """Return the smallest `kind` found that contains all vertices of the mesh, in its frame.

    Boxes and balls by trimesh; cylinders and capsules along the best of the box's axes and of
    trimesh's cylinder. A capsule, which URDF does not know, is a cylinder and a ball at either end,
    or one ball where that is smaller.

    Raises:
        ValueError: for "mesh", which is no primitive.
    """
    vertices = np.asarray(mesh.convex_hull.vertices, float)
    if kind == "box":
        return (_box(vertices),)
    if kind == "sphere":
        return (_sphere(vertices),)
    if kind == "cylinder":
        return (min((_cylinder(vertices, frame) for frame in _frames(vertices)), key=_volume),)
    if kind == "capsule":
        ball = _sphere(vertices)
        capsules = [_capsule(vertices, frame) for frame in _frames(vertices)]
        capsules.append(Cylinder(ball.radius, 0.0, ball.pose))
        return _capsule_parts(min(capsules, key=_capsule_volume))
    raise ValueError(f"{kind} is no primitive")


def _box(vertices: NDArray[np.float64]) -> Box:
    to_box = trimesh.bounds.oriented_bounds(vertices)[0]
    rotation = to_box[:3, :3].T
    own = vertices @ rotation
    low, high = own.min(0), own.max(0)
    return Box(high - low, _pose(rotation, rotation @ (low + high) / 2))


def _sphere(vertices: NDArray[np.float64]) -> Sphere:
    centre = trimesh.nsphere.minimum_nsphere(vertices)[0]
    reach = np.linalg.norm(vertices - centre, axis=1).max()
    return Sphere(float(reach), _pose(np.eye(3), centre))


def _frames(vertices: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Rotations (3, 3) whose z axis may be that of a slim cylinder."""
    box = _box(vertices).pose[:3, :3]
    turns = [box[:, order] for order in ([1, 2, 0], [2, 0, 1], [0, 1, 2])]
    cylinder = trimesh.bounds.minimum_cylinder(vertices)["transform"]
    return [*turns, cylinder[:3, :3]]


def _cylinder(vertices: NDArray[np.float64], frame: NDArray[np.float64]) -> Cylinder:
    own = vertices @ frame
    centre = trimesh.nsphere.minimum_nsphere(own[:, :2])[0]
    radius = np.linalg.norm(own[:, :2] - centre, axis=1).max()
    low, high = own[:, 2].min(), own[:, 2].max()
    middle = np.append(centre, (low + high) / 2)
    return Cylinder(float(radius), float(high - low), _pose(frame, frame @ middle))


def _capsule(vertices: NDArray[np.float64], frame: NDArray[np.float64]) -> Cylinder:
    """The cylinder between the balls of the shortest capsule as wide as the points along z."""
    wide = _cylinder(vertices, frame)
    own = (vertices - wide.pose[:3, 3]) @ wide.pose[:3, :3]
    across = np.minimum(np.linalg.norm(own[:, :2], axis=1), wide.radius)
    bulge = np.sqrt(wide.radius**2 - across**2)
    low, high = (own[:, 2] + bulge).min(), (own[:, 2] - bulge).max()
    # Where the ends cross, any ball between them holds all points.
    pose = wide.pose.copy()
    pose[:3, 3] += pose[:3, 2] * (low + high) / 2
    return Cylinder(wide.radius, float(max(0.0, high - low)), pose)


def _capsule_parts(cylinder: Cylinder) -> tuple[Primitive, ...]:
    if cylinder.length == 0:
        return (Sphere(cylinder.radius, cylinder.pose),)
    ends = []
    for side in (-0.5, 0.5):
        pose = cylinder.pose.copy()
        pose[:3, 3] += side * cylinder.length * pose[:3, 2]
        ends.append(Sphere(cylinder.radius, pose))
    return (cylinder, *ends)


def _volume(cylinder: Cylinder) -> float:
    return float(np.pi * cylinder.radius**2 * cylinder.length)


def _capsule_volume(cylinder: Cylinder) -> float:
    return _volume(cylinder) + 4 / 3 * np.pi * cylinder.radius**3


def _pose(rotation: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, centre
    return pose
