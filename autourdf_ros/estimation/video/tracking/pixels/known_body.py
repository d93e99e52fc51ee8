"""A body as the tracker knows it before it sees it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.video_shape import SeenSides, VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.pose_track import BodySymmetry
from autourdf_ros.estimation.video.symmetry.equivalent_poses import free_turns
from autourdf_ros.estimation.video.symmetry.shape_symmetry import (
    ShapeSymmetryOptions,
    shape_symmetry,
)
from autourdf_ros.estimation.video.tracking.pixels.distance_grid import (
    DistanceGrid,
    distance_grid,
    shell_grid,
)
from autourdf_ros.estimation.video.tracking.pixels.pixel_labels import Window
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import BodyGrid, Lens
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.geometry.sampling import farthest_point_indices

OUTLINE_POINTS = 60
"""Points of the convex hull that are projected."""


@dataclass(frozen=True)
class KnownBody:
    """A body of known shape.

    Attributes:
        name: Of the body.
        grid: Signed distance to its surface.
        symmetry: Of its shape; its centre is that of the body's twists.
        corners: (H, 3) points that span its convex hull, in its frame (m).
        radius: Greatest distance of a corner from the centre (m).
        plane: (3,) unit normal, in the camera's frame, of the plane in which it moves; None: free.
    """

    name: str
    grid: DistanceGrid
    symmetry: BodySymmetry
    corners: Array
    radius: float
    plane: Array | None = None

    def at(self, pose: Array) -> BodyGrid:
        """Return the body at a pose (4, 4) in the camera's frame."""
        centre = transform(pose, self.symmetry.centre)
        values, origin, cell = self.grid.values, self.grid.origin, self.grid.cell
        return BodyGrid(values, origin, cell, np.ascontiguousarray(pose), centre)

    def window(self, pose: Array, lens: Lens, size: tuple[int, int], margin: float) -> Window:
        """Return first row and column, and last row and column beyond, in which the body shows.

        Args:
            pose: (4, 4) in the camera's frame.
            lens: Of the camera.
            size: Height and width of the image.
            margin: About the body (m).
        """
        points = transform(pose, self.corners)
        z = np.maximum(points[:, 2], 1e-3)
        columns = points[:, 0] / z * lens.fx + lens.cx
        rows = points[:, 1] / z * lens.fy + lens.cy
        wide = margin / max(float(z.min()), 1e-3) * lens.fx + 2
        low = np.floor([rows.min() - wide, columns.min() - wide]).clip(0, size).astype(int)
        high = np.ceil([rows.max() + wide, columns.max() + wide]).clip(0, size).astype(int)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def observable(self, pose: Array) -> Array:
        """Return the projection (6, 6) of twists onto those that change what is seen."""
        kept = np.eye(6)
        for axis in free_turns(self.symmetry, pose[:3, :3]):
            kept[:3, :3] -= np.outer(axis, axis)
        if self.plane is None:
            return kept
        across = np.outer(self.plane, self.plane)
        within = np.zeros((6, 6))
        within[:3, :3], within[3:, 3:] = across, np.eye(3) - across
        return within @ kept @ within


def known_body(shape: VideoShape, options: ShapeSymmetryOptions) -> KnownBody:
    """Prepare a shape.

    Raises:
        InputError: its mesh has no triangles or no extent.
    """
    mesh = shape.mesh
    if (
        not len(mesh.triangles)
        or not np.isfinite(mesh.vertices).all()
        or np.ptp(mesh.vertices) == 0
    ):
        raise InputError(f"shape {shape.name}: its mesh is empty; accepted is a closed surface")
    if shape.seen is not None:
        return _seen_body(shape.name, shape.seen)
    symmetry = shape_symmetry(mesh, options)
    hull = mesh.hull
    corners = hull[farthest_point_indices(hull, OUTLINE_POINTS)]
    radius = float(np.linalg.norm(hull - symmetry.centre, axis=1).max())
    return KnownBody(shape.name, distance_grid(mesh), symmetry, corners, radius)


def _seen_body(name: str, sides: SeenSides) -> KnownBody:
    """The body of which only these sides count; that it is symmetric, they do not show."""
    symmetry = BodySymmetry("none", sides.points.mean(axis=0), np.eye(3)[2], np.eye(3)[None])
    corners = sides.points[farthest_point_indices(sides.points, OUTLINE_POINTS)]
    radius = float(np.linalg.norm(sides.points - symmetry.centre, axis=1).max())
    return KnownBody(name, shell_grid(sides), symmetry, corners, radius)


def lens_of(camera: PinholeCamera) -> Lens:
    """Return the focal lengths and principal point of a camera."""
    return Lens(*map(float, camera.focal), *map(float, camera.principal))
