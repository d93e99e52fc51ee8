"""Checks of one moment's clouds before they become a frame of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.data.cleaning import Box
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.data.validate import MIN_POINTS

_CELL = 0.01  # m
_AT_FACE = 0.01  # m from a face of the box, within which a surface that it cuts has points
_LEAST_AT_FACE = 10  # points, to be a surface
_STANDING = 0.05  # m around what was at a face in the first frame: it stands there


@dataclass(frozen=True)
class FrameChecks:
    """Thresholds that a frame must meet.

    Attributes:
        min_points: least number of points after cleaning.
        min_coverage: least surface that each camera sees, as a share of its median over the earlier
            frames; 0 switches the check off.
        sync_slop: largest difference of the cameras' stamps (s).
    """

    min_points: int = MIN_POINTS
    min_coverage: float = 0.0
    sync_slop: float = np.inf


def check_stamps(cameras: Sequence[str], stamps: Sequence[float], slop: float) -> Rejection | None:
    """Return why clouds with these stamps (s) do not belong to one moment, or None."""
    first, last = int(np.argmin(stamps)), int(np.argmax(stamps))
    spread = stamps[last] - stamps[first]
    if spread <= slop:
        return None
    return Rejection(
        "sync_slop",
        f"the cloud of {cameras[first]} is {spread:.3f} s older than that of {cameras[last]}; "
        f"accepted is {slop:g} s (sync_slop)",
    )


def seen_surface(
    points: NDArray[np.floating], cameras: NDArray[np.uint8], count: int
) -> NDArray[np.int64]:
    """Return the surface that each camera sees: the number of 1 cm cells that hold its points.

    Args:
        points: (N, 3), metres.
        cameras: (N,) number of the camera that saw each point.
        count: number of cameras, C.

    Returns:
        (C,) cm².
    """
    cells = np.column_stack([cameras, np.floor(points / _CELL)]).astype(np.int64)
    return np.bincount(np.unique(cells, axis=0)[:, 0], minlength=count)


class CoverageCheck:
    """Compares the surface that each camera sees with that of the earlier frames."""

    def __init__(self, share: float) -> None:
        """Accept frames with at least `share` of the median of the earlier frames."""
        self._share = share
        self._earlier: list[NDArray[np.int64]] = []

    def reject(self, cameras: Sequence[str], surface: NDArray[np.int64]) -> Rejection | None:
        """Return why a camera sees too little, or None. surface: (C,) by `seen_surface`."""
        if not self._earlier:
            return None
        median = np.median(self._earlier, axis=0)
        shares = surface / np.maximum(median, 1)
        worst = int(np.argmin(np.where(median > 0, shares, np.inf)))
        if median[worst] == 0 or shares[worst] >= self._share:
            return None
        return Rejection(
            "coverage",
            f"{cameras[worst]} sees {surface[worst]} cm² of surface, {shares[worst]:.0%} of the "
            f"{median[worst]:.0f} cm² of the earlier frames; accepted is {self._share:.0%} "
            "(min_coverage): check whether something stands before the camera",
        )

    def take(self, surface: NDArray[np.int64]) -> None:
        """Add the surface (C,) of an accepted frame."""
        self._earlier.append(surface)


class FaceCheck:
    """Finds where the robot moves through a face of the box, beyond which it is cut off.

    What is at a face in the first frame, as a pedestal, may be there in all.
    """

    def __init__(self, box: Box | None) -> None:
        self._box = box
        self._standing: dict[tuple[int, str], NDArray[np.floating]] | None = None

    def cut(self, points: NDArray[np.floating]) -> str:
        """Return at which faces the points (N, 3; m) of the next frame are cut; empty: at none."""
        if self._box is None:
            return ""
        corners = {"lower": self._box.lower, "upper": self._box.upper}
        near = {
            (axis, side): points[np.abs(points[:, axis] - corner[axis]) < _AT_FACE]
            for side, corner in corners.items()
            for axis in range(3)
        }
        if self._standing is None:
            self._standing = near
            return ""
        cut = [
            f"{'xyz'[axis]} = {corners[side][axis]:.3f} m (box_{side})"
            for (axis, side), own in near.items()
            if len(own) and _apart(own, self._standing[axis, side]) >= _LEAST_AT_FACE
        ]
        return f"the robot is cut off where the box ends, at {', '.join(cut)}" if cut else ""


def _apart(points: NDArray[np.floating], standing: NDArray[np.floating]) -> int:
    """How many points are not where something stands."""
    if not len(standing):
        return len(points)
    return int((cKDTree(standing).query(points)[0] > _STANDING).sum())
