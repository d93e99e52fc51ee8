"""How a tool comes to rest on a small disc: planned from its shape and its centre of mass.

A rigid body on a flat disc touches it where the convex hull of what is above the disc does. It
rests on the face of that hull which the vertical through its centre of mass meets, if that face is
level; so the tool is turned until it is. It lies as on a table where that is possible; otherwise it
stands on the face whose edges are farthest from the vertical.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

Array = NDArray[np.float64]

LEVEL = 1e-4
"""rad between two turns at which the face counts as level."""
TOUCHING = 5e-5
"""m above the face up to which points belong to it."""
MOST_TURN = np.radians(30)
"""From where a tool would lie on a table to where it lies on the disc; it stands beyond that."""
_TURNS = 20  # until it is level: a resource bound


@dataclass(frozen=True)
class RestingPlace:
    """How a tool is set.

    Attributes:
        turn: (3, 3) from the tool's frame to the world's, z up.
        height: m of the assumed centre of mass above the disc.
        margin: m from the vertical through it to the nearest edge of the face.
        lies: Whether it lies as on a table.
    """

    turn: Array
    height: float
    margin: float
    lies: bool


def planned_place(points: Array, centre: Array, radius: float) -> RestingPlace | None:
    """Return how a tool is set with its centre of mass above the middle of a disc.

    None where no material is above the disc in any pose.

    Args:
        points: (n, 3) densely on the tool's surface (m).
        centre: (3,) the assumed centre of mass.
        radius: Of the disc (m).
    """
    flat = lying_directions(points)
    lying = [
        one
        for one in _places(points, centre, flat, radius)
        if abs(one.turn[2] @ flat[0]) > np.cos(MOST_TURN)
    ]
    places = lying or _places(points, centre, _every_direction(), radius)
    if not places:
        return None
    return replace(max(places, key=lambda one: one.margin), lies=bool(lying))


def _places(points: Array, centre: Array, directions: Array, radius: float) -> list[RestingPlace]:
    found = [resting_place(points, centre, down, radius) for down in directions]
    return [one for one in found if one is not None and one.margin > 0]


def _every_direction() -> Array:
    """Directions (42, 3), evenly over the sphere."""
    return np.asarray(trimesh.creation.icosphere(subdivisions=1).vertices)


def lying_directions(points: Array) -> Array:
    """Return the two directions (2, 3) that point down where a tool lies flat on a table."""
    own = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][2]
    return np.array([own, -own])


def resting_place(points: Array, centre: Array, down: Array, radius: float) -> RestingPlace | None:
    """Return how a tool rests with a point above the middle of a disc; None where it does not.

    Args:
        points: (n, 3) densely on the tool's surface (m).
        centre: (3,) the assumed centre of mass.
        down: (3,) where down is at first, in the tool's frame.
        radius: Of the disc (m).
    """
    for _ in range(_TURNS):
        turn = _turned_down(down)
        local = (points - centre) @ turn.T
        face = _face_below(local[np.hypot(local[:, 0], local[:, 1]) < radius])
        if face is None:
            return None
        if np.arccos(min(-face.normal[2], 1.0)) < LEVEL:
            return RestingPlace(turn, face.depth, face.margin, False)
        down = turn.T @ face.normal
    return None


@dataclass(frozen=True)
class _Face:
    """normal: (3,) outward. depth: m below the centre. margin: m, as in `RestingPlace`."""

    normal: Array
    depth: float
    margin: float


def _face_below(points: Array) -> _Face | None:
    """The face of the hull of points (n, 3) that the vertical below the origin meets."""
    if len(points) < 4:
        return None
    try:
        hull = ConvexHull(points)
    except QhullError:  # flat
        return None
    normals, offsets = hull.equations[:, :3], hull.equations[:, 3]
    upper, lower = normals[:, 2] > 1e-9, normals[:, 2] < -1e-9
    walls = ~upper & ~lower
    heights = -offsets[lower] / normals[lower, 2]  # of the faces' planes at the vertical
    lowest = int(heights.argmax())
    if (offsets[walls] > 0).any() or heights[lowest] > (-offsets[upper] / normals[upper, 2]).min():
        return None  # the vertical passes by
    normal, offset = normals[lower][lowest], offsets[lower][lowest]
    corners = points[hull.vertices]
    corners = corners[corners @ normal + offset > -TOUCHING]
    return _Face(normal, float(-heights[lowest]), _margin(corners[:, :2]))


def _margin(corners: Array) -> float:
    """Distance of the origin from the edges of the hull of corners (n, 2); negative outside."""
    try:
        return float(-ConvexHull(corners).equations[:, 2].max())
    except (QhullError, ValueError):  # a line
        return 0.0


def _turned_down(down: Array) -> Array:
    """Rotation (3, 3) that takes a direction to -z."""
    up = -down / np.linalg.norm(down)
    side = np.cross(up, np.eye(3)[int(np.abs(up).argmin())])
    side /= np.linalg.norm(side)
    return np.array([side, np.cross(up, side), up])
