"""The outlines of a robot in images, as fields of distances from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores

HALF = 0.5
"""Share of a pixel from which it shows the robot; and, in pixels, from its middle to its edge."""


@dataclass(frozen=True)
class Silhouettes:
    """Outlines in F images of H x W pixels.

    Attributes:
        projections: (F, 3, 4) from points in the world to homogeneous columns and rows.
        fields: (F, H, W) distance from the robot's outline (pixels), negative inside.
        focal: (F,) mean focal length of every image (pixels).
    """

    projections: Array
    fields: NDArray[np.float32]
    focal: Array

    @classmethod
    def of(
        cls, cameras: Sequence[PinholeCamera], masks: Sequence[NDArray[np.float32]]
    ) -> Silhouettes:
        """Return those of masks (H, W), shares of pixels, of one size."""
        return cls(
            np.array([projection(camera) for camera in cameras]),
            np.stack(on_all_cores(_field, masks)),
            np.array([np.mean(camera.focal) for camera in cameras]),
        )

    def of_images(self, chosen: NDArray[np.integer] | NDArray[np.bool_]) -> Silhouettes:
        """Return those of some images."""
        return Silhouettes(self.projections[chosen], self.fields[chosen], self.focal[chosen])

    def distances(self, points: Array) -> NDArray[np.float32]:
        """Return (F, N) distances from the outlines (pixels) of points (N, 3); NaN out of sight."""
        found = np.empty((len(self.fields), len(points)), np.float32)
        sample_fields(self.projections, self.fields, np.ascontiguousarray(points), found)
        return found

    def depths(self, points: Array) -> Array:
        """Return depths (F, N) of points (N, 3) along the optical axes (m)."""
        rows = self.projections[:, 2]
        return np.asarray(rows[:, :3] @ points.T + rows[:, 3:])


def projection(camera: PinholeCamera) -> Array:
    """Return the matrix (3, 4) from points in the world to homogeneous columns and rows."""
    lens = np.diag([*camera.focal, 1.0])
    lens[:2, 2] = camera.principal
    turn = camera.pose[:3, :3].T
    return np.asarray(lens @ np.column_stack([turn, -turn @ camera.pose[:3, 3]]))


def _field(mask: NDArray[np.float32]) -> NDArray[np.float32]:
    shown = mask > HALF
    if not shown.any():
        return np.full(mask.shape, max(mask.shape), np.float32)
    outside, inside = distance_transform_edt(~shown), distance_transform_edt(shown)
    return np.where(shown, HALF - inside, outside - HALF).astype(np.float32)


@njit(nogil=True, error_model="numpy", inline="always")
def field_at(field, matrix, x, y, z):  # type: ignore[no-untyped-def]
    """Return a field (H, W) where a point projects, interpolated; NaN where it is not seen."""
    height, width = field.shape
    w = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z + matrix[2, 3]
    u = (matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z + matrix[0, 3]) / w
    v = (matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z + matrix[1, 3]) / w
    if not (w > 0 and u >= 0 and v >= 0 and u < width - 1 and v < height - 1):
        return np.nan
    row, column = int(v), int(u)
    a, b = v - row, u - column
    upper = (1 - b) * field[row, column] + b * field[row, column + 1]
    lower = (1 - b) * field[row + 1, column] + b * field[row + 1, column + 1]
    return (1 - a) * upper + a * lower


@njit(cache=True, nogil=True, error_model="numpy")
def sample_fields(projections, fields, points, found):  # type: ignore[no-untyped-def]
    """Write `Silhouettes.distances`."""
    for f in range(len(fields)):
        for n in range(len(points)):
            found[f, n] = field_at(
                fields[f], projections[f], points[n, 0], points[n, 1], points[n, 2]
            )
