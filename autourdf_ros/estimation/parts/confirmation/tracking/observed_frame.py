"""A frame of a recording, prepared for the search for poses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from autourdf_ros.data.frame import Frame
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, prepare_cloud
from autourdf_ros.geometry.rigid_motion import inverse, transform

MARGIN = 8  # cells around the points, in which distances are known too
LEAST_POINTS = 50  # of a frame


@dataclass(frozen=True)
class ObservedFrame:
    """Points of a frame and the nearest of them to any place near them.

    Attributes:
        cloud: The points.
        origin: (3,) centre of the first cell (m).
        cell: Side of the cells (m).
        nearest: (X, Y, Z) number of the point nearest to every cell.
        outward: Whether the normals point to the cameras, which are known.
    """

    cloud: Cloud
    origin: Array
    cell: float
    nearest: NDArray[np.int32]
    outward: bool = False

    def look_up(self, points: Array) -> NDArray[np.int32]:
        """Return the numbers (...) of the frame's points that are about nearest to (..., 3)."""
        cells = np.rint((points - self.origin) / self.cell).astype(np.int32)
        limits = np.array(self.nearest.shape, np.int32) - 1
        np.clip(cells, 0, limits, out=cells)
        return self.nearest[cells[..., 0], cells[..., 1], cells[..., 2]]

    def agreeing(self, cosines: Array) -> Array:
        """Return cosines (...) of normals as far as they may agree: either way, or outward."""
        return np.maximum(cosines, 0.0) if self.outward else cosines

    def distances(self, points: Array) -> Array:
        """Return the distances (...) of places (..., 3) to about the nearest points (m)."""
        offsets = self.cloud.points[self.look_up(points)] - points
        return np.sqrt(np.einsum("...i,...i->...", offsets, offsets))


def observe(frame: Frame, base: Array, most: int, cells: int, seed: int) -> ObservedFrame:
    """Prepare a frame.

    Args:
        frame: Of a recording.
        base: (4, 4) pose of the assembly's frame in that of the recording.
        most: Points that are used; others are dropped at random.
        cells: Of the grid along the longest side.
        seed: Of the choice.
    """
    points = transform(inverse(base), np.asarray(frame.points, float))
    eyes = None
    if frame.cameras is not None and frame.camera_poses is not None:
        eyes = transform(inverse(base), frame.camera_poses[:, :3, 3])[frame.cameras]
    if len(points) > most:
        kept = np.random.default_rng(seed).choice(len(points), most, replace=False)
        points, eyes = points[kept], None if eyes is None else eyes[kept]
    cloud = prepare_cloud(points)
    if eyes is not None:
        away = np.einsum("ni,ni->n", eyes - points, cloud.normals) < 0
        cloud = replace(cloud, normals=np.where(away[:, None], -cloud.normals, cloud.normals))
    low, high = points.min(axis=0), points.max(axis=0)
    cell = max(float((high - low).max()) / cells, cloud.spacing / 2)
    shape = np.ceil((high - low) / cell).astype(int) + 1 + 2 * MARGIN
    origin = low - MARGIN * cell
    numbers = np.full(shape, -1, np.int32)
    where = np.rint((points - origin) / cell).astype(int)
    numbers[where[:, 0], where[:, 1], where[:, 2]] = np.arange(len(points))
    places = distance_transform_edt(numbers < 0, return_distances=False, return_indices=True)
    nearest = numbers[places[0], places[1], places[2]]
    return ObservedFrame(cloud, origin, cell, nearest, eyes is not None)
