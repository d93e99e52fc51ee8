"""Solids that must stay away from each other, and their distances, by Coal."""

from __future__ import annotations

from dataclasses import dataclass

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from autourdf_ros.commanding.screening.keep_out import KeepOut

UP = np.array([0.0, 0.0, 1.0])
HELD = "the held object"
"""Name of the solid that a robot holds."""
SKIN = 0.001
"""Half the thickness (m) that a sheet gets: a physical limit, the hull of a flat cloud has none."""


@dataclass(frozen=True)
class Solid:
    """A solid that must stay away from other solids: the shape of a link, or an obstacle.

    Attributes:
        geometry: the shape.
        name: of the link or the obstacle.
        body: Pinocchio's joint that moves it; 0: it stands still.
        pose: in the frame of that joint.
        radius: of a ball around its centre that contains it (m); infinite: unbounded.
        centre: (3,) of that ball in its own frame (m).
        is_link: whether it is a link, and no obstacle.
    """

    geometry: coal.CollisionGeometry
    name: str
    body: int
    pose: pin.SE3
    radius: float
    centre: NDArray[np.float64]
    is_link: bool = True

    @property
    def label(self) -> str:
        """What it is called in a message."""
        return self.name if self.name == HELD else f"link {self.name!r}"


def box_solid(box: KeepOut, base: pin.SE3) -> Solid:
    """Return a box that is given in a base frame, whose pose in the root's frame is `base`."""
    lower, upper = np.array(box.lower), np.array(box.upper)
    pose = base * pin.SE3(np.eye(3), (lower + upper) / 2)
    size = upper - lower
    radius = float(np.linalg.norm(size)) / 2
    return Solid(coal.Box(*size), box.name, 0, pose, radius, np.zeros(3), is_link=False)


def ground_solid(height: float, base: pin.SE3) -> Solid:
    """Return all that is below a height (m) in a base frame with a pose in the root's frame."""
    pose = base * pin.SE3(np.eye(3), np.array([0.0, 0.0, height]))
    plane = coal.Halfspace(UP, 0.0)
    return Solid(plane, "ground", 0, pose, np.inf, np.zeros(3), is_link=False)


def distance(one: Solid, first: pin.SE3, two: Solid, second: pin.SE3) -> float:
    """Return the distance (m) of two solids at poses in the root's frame.

    A negative one is the depth of penetration of convex shapes.
    """
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    placed = [coal.Transform3s(pose.rotation, pose.translation) for pose in (first, second)]
    geometry = one.geometry, two.geometry
    result = coal.DistanceResult()
    return float(coal.distance(geometry[0], placed[0], geometry[1], placed[1], request, result))


def hull_solid(points: NDArray[np.float64], body: int, pose: pin.SE3) -> Solid:
    """Return the convex hull of a held object's points, with a skin, on a joint that moves it.

    Args:
        points: (n, 3); they may be flat.
        body: Pinocchio's joint.
        pose: Of the points' frame in that joint's.
    """
    corners = SKIN * np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), -1).reshape(-1, 3)
    thick = (np.asarray(points, float)[:, None] + corners).reshape(-1, 3)
    hull = ConvexHull(thick)
    places = np.full(len(thick), -1)
    places[hull.vertices] = np.arange(len(hull.vertices))
    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(len(hull.simplices), len(hull.vertices))
    mesh.addVertices(thick[hull.vertices])
    mesh.addTriangles(places[hull.simplices])
    mesh.endModel()
    mesh.buildConvexHull(True, "Qt")
    geometry = mesh.convex
    geometry.computeLocalAABB()
    centre = np.array(geometry.aabb_center)
    return Solid(geometry, HELD, body, pose, geometry.aabb_radius, centre)
