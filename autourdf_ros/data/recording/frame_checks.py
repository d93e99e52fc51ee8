"""Whether what the cameras saw at one moment is good enough for a frame of a recording."""

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
    """What is asked of a frame.

    min_points: left of it after cleaning. min_coverage: surface that each camera sees, as a share
    of what it saw in the median of the earlier frames; 0 asks nothing. sync_slop: largest
    difference of the cameras' stamps (s).
    """

    min_points: int = MIN_POINTS
    min_coverage: float = 0.0
    sync_slop: float = np.inf


def check_stamps(cameras: Sequence[str], stamps: Sequence[float], slop: float) -> Rejection | None:
    """Whether clouds with these stamps (s) belong to one moment."""
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
    """(C,) surface that each of `count` cameras sees: cells of 1 cm that hold one of its points.

    points: (N, 3) metres, seen by the cameras (N,).
    """
    cells = np.column_stack([cameras, np.floor(points / _CELL)]).astype(np.int64)
    return np.bincount(np.unique(cells, axis=0)[:, 0], minlength=count)


class CoverageCheck:
    """Compares the surface that each camera sees with that of the frames taken before."""

    def __init__(self, share: float) -> None:
        """share: of the median of the earlier frames that is asked for."""
        self._share = share
        self._earlier: list[NDArray[np.int64]] = []

    def reject(self, cameras: Sequence[str], surface: NDArray[np.int64]) -> Rejection | None:
        """Whether a camera sees far less than before. surface: (C,) by `seen_surface`."""
        if not self._earlier:
            return None
        usual = np.median(self._earlier, axis=0)
        shares = surface / np.maximum(usual, 1)
        worst = int(np.argmin(np.where(usual > 0, shares, np.inf)))
        if usual[worst] == 0 or shares[worst] >= self._share:
            return None
        return Rejection(
            "coverage",
            f"{cameras[worst]} sees {surface[worst]} cm² of surface, {shares[worst]:.0%} of the "
            f"{usual[worst]:.0f} cm² of the earlier frames; accepted is {self._share:.0%} "
            "(min_coverage): look whether something stands before it",
        )

    def take(self, surface: NDArray[np.int64]) -> None:
        """Note the surface of a frame that was taken."""
        self._earlier.append(surface)
