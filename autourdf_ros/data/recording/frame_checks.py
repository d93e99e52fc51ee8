"""Checks of one moment's clouds before they become a frame of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.rejection import Rejection
from autourdf_ros.data.validate import MIN_POINTS

_CELL = 0.01  # m


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
