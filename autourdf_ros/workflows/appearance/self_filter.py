"""Separates measured points of the robot from those of its surroundings, by the predicted depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from autourdf_ros.data.images.posed_camera import PinholeCamera

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_TO_SIGMA = 1.4826  # of a median absolute deviation, for normal errors


@dataclass(frozen=True)
class SelfFilterOptions:
    """How points are compared with the predicted depth.

    Attributes:
        margin: Distance (m) from the predicted surface up to which a point is the robot's; None:
            `sigmas` standard deviations of the measured differences, within `bounds`.
        sigmas: See above.
        bounds: Least and greatest margin (m) that follows from measured differences.
        edge: Pixels by which the robot's outline may be wrong.
        least: Points that measured differences need; with fewer the greatest margin holds.
    """

    margin: float | None = None
    sigmas: float = 5.0
    bounds: tuple[float, float] = (0.01, 0.05)
    edge: int = 2
    least: int = 200


class RobotSurface:
    """What a camera is predicted to see of the robot.

    Attributes:
        depth: (H, W) predicted along the optical axis (m), NaN where the robot is not.
        outline: (H, W) where it may be seen: its image, wider by the edge.
    """

    def __init__(self, depth: NDArray[np.float32], options: SelfFilterOptions) -> None:
        """Prepare the comparison.

        Args:
            depth: As the attribute.
            options: All constants.
        """
        self.depth, self._options = depth, options
        size = 2 * options.edge + 1
        inside = np.isfinite(depth)
        self._near = ndimage.minimum_filter(np.where(inside, depth, np.inf), size)
        self._far = ndimage.maximum_filter(np.where(inside, depth, -np.inf), size)
        # Pixels at the outline mix the robot's depth with that of what is behind it.
        core = ndimage.minimum_filter(inside, size)
        self._far[inside & ~core] = np.inf
        self.outline = np.isfinite(self._near)

    def of_image(self, measured: NDArray[np.floating]) -> tuple[Mask, float]:
        """Return which pixels (H, W) of a depth image (m) show the robot, and the margin (m)."""
        return self._compared(measured, np.s_[:, :])

    def of_points(self, pixels: CloudPixels) -> tuple[Mask, float]:
        """Return which points (N,) of a cloud are the robot's, and the margin (m)."""
        found = np.zeros(len(pixels.seen), bool)
        place = pixels.row, pixels.column
        found[pixels.seen], margin = self._compared(pixels.depth[pixels.seen], place)
        return found, margin

    def _compared(self, measured: NDArray[np.floating], place: Any) -> tuple[Mask, float]:
        margin = self._margin(measured - self.depth[place])
        with np.errstate(invalid="ignore"):
            found = measured > self._near[place] - margin
            found &= measured < self._far[place] + margin
        return np.asarray(found), margin

    def _margin(self, differences: NDArray[np.floating]) -> float:
        given, (low, high) = self._options.margin, self._options.bounds
        if given is not None:
            return given
        with np.errstate(invalid="ignore"):
            near = differences[np.abs(differences) < high]
        if len(near) < self._options.least:
            return high
        sigma = _TO_SIGMA * float(np.median(np.abs(near)))
        return min(max(self._options.sigmas * sigma, low), high)


@dataclass(frozen=True)
class CloudPixels:
    """The pixels of a camera in which the points of a cloud lie.

    Attributes:
        depth: (N,) along the optical axis (m).
        seen: (N,) which points lie in the image; S of them.
        row: (S,) of these points.
        column: (S,) likewise.
        size: (H, W) of the image.
    """

    depth: NDArray[np.floating]
    seen: Mask
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    size: tuple[int, int]

    @classmethod
    def of(cls, points: NDArray[np.floating], camera: PinholeCamera) -> CloudPixels:
        """Return the pixels of points (N, 3) in the camera's optical frame (m)."""
        # Column by column in the cloud's own precision: ten times as fast as by rows in double.
        x, y, depth = (np.ascontiguousarray(column) for column in points.T)
        kind = points.dtype.type
        (fx, fy), (cx, cy) = (map(kind, pair) for pair in (camera.focal, camera.principal))
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            column, row = np.rint(x / depth * fx + cx), np.rint(y / depth * fy + cy)
            seen = (depth > 0) & (column >= 0) & (column < camera.width)
            seen &= (row >= 0) & (row < camera.height)
        column, row = (place[seen].astype(np.int64) for place in (column, row))
        return cls(depth, seen, row, column, (camera.height, camera.width))

    def image(self) -> NDArray[np.float32]:
        """Return the depths (H, W) as an image, NaN where no point lies."""
        image = np.full(self.size, np.nan, np.float32)
        image[self.row, self.column] = self.depth[self.seen]
        return image
