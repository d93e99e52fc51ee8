"""Depth images of a camera that stands still: their noise, their background, mixed pixels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import binary_opening

from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import Errors
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions

FRAMES = 40
"""Of which the background is found (resource bound)."""
EARLY = 5
"""First frames that show where the camera was."""
HIGH = 90.0
"""Percentile of a pixel's depths: nearer ones may be of bodies that pass."""
SLOW = 2.0
"""Change between frames, in noise that separates surfaces, below which nothing was uncovered."""
LEAVING = 0.1
"""Share of the frames in which something must be in front: noise is in few."""
STAYING = 3.0
"""Frames in front for each time that it came or went: noise, as of a surface seen aslant, does not
stay."""
SETTLED = 1.2
"""Standard deviation of a pixel's farthest depths, in axial noise, up to which its surface stands
still there: it varies as the noise does."""
RESTING = 0.2
"""Share of the frames from which on what stands still there is no moving thing that rests."""
MAD = 1.4826
"""Standard deviation over median absolute deviation of a normal variable."""
LEAST = 2e-5
"""Of the axial noise in z^2 (1/m): a depth camera has never less (0.02 mm at 1 m)."""


@dataclass(frozen=True)
class StillBackground:
    """What does not move.

    Attributes:
        depth: (H, W) float32 (m), NaN where there is none; infinite where what moves was in front
            all the time, so that nobody knows what is behind it.
        early: (H, W) float32 what the first frames show, bodies included (m).
        errors: Of the depth images.
    """

    depth: NDArray[np.float32]
    early: NDArray[np.float32]
    errors: Errors

    def shows(self, image: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return which pixels (H, W) of a depth image show the background."""
        noise = self.errors.step * self.errors.axial * image**2
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(image - self.depth) < noise)


def still_background(depth: NDArray[np.float32], options: TrackOptions) -> StillBackground:
    """Return what does not move in depth images (T, H, W), and their noise."""
    chosen = np.linspace(0, len(depth) - 1, min(FRAMES, len(depth))).astype(int)
    axial = axial_noise(depth)
    errors = Errors(axial, options.lateral, options.edge, options.step)
    early = np.sort(depth[: max(min(EARLY, len(depth) // 10), 1)], axis=0)  # NaN last
    far = _farthest(depth[chosen], errors)
    far[_left_slowly(depth, far, errors)] = np.inf
    return StillBackground(far, early[len(early) // 2], errors)


def axial_noise(depth: NDArray[np.float32]) -> float:
    """Return the standard deviation of depths z in z^2 (1/m).

    Of differences between frames; of one frame, between second differences along its rows.

    Args:
        depth: (T, H, W) along the optical axis (m), NaN where unknown.
    """
    some = depth[:FRAMES]
    if len(some) > 1:
        change = np.diff(some, axis=0) / np.sqrt(2)
        scaled = np.abs(change) / some[1:] ** 2
    else:
        scaled = np.abs(np.diff(some, n=2, axis=2)) / np.sqrt(6) / some[:, :, 1:-1] ** 2
    known = scaled[np.isfinite(scaled)]
    return max(float(MAD * np.median(known)) if len(known) else 0.0, LEAST)


def _farthest(depth: NDArray[np.float32], errors: Errors) -> NDArray[np.float32]:
    filled = np.where(np.isfinite(depth), depth, -np.inf)
    high = np.percentile(filled, HIGH, axis=0, method="nearest")
    with np.errstate(invalid="ignore"):
        near = np.abs(depth - high) < errors.step * errors.axial * high**2
    count = near.sum(axis=0)
    mean = np.where(near, depth, 0).sum(axis=0) / np.maximum(count, 1)
    return np.where(count > 0, mean, np.nan).astype(np.float32)


def _left_slowly(
    depth: NDArray[np.float32], far: NDArray[np.float32], errors: Errors
) -> NDArray[np.bool_]:
    """Return the pixels (H, W) whose farthest depth is that of something that moves.

    What moves uncovers the background at once: the depth jumps. The depth of a moving surface that
    covers a pixel all the time changes little from frame to frame, also where it comes to and goes
    from its farthest place. So does that of a wall that slides over the table on which it stands,
    but the table that it uncovers stands still.
    """
    slow = np.zeros(far.shape, np.int32)
    fast, before = slow.copy(), slow.copy()
    window = errors.step * errors.axial * far**2
    with np.errstate(invalid="ignore"):
        still = _stands_still(depth, far, window, SETTLED * errors.axial * far**2)
        last = np.abs(depth[0] - far) < window
        for earlier, later in pairwise(depth):
            near = np.abs(later - far) < window
            change = np.abs(later - earlier)
            crossed = near != last
            slow += crossed & (change < SLOW * window)
            fast += crossed & (change >= SLOW * window)
            before += later < far - window
            last = near
    stays = before > np.maximum(LEAVING * len(depth), STAYING * (slow + fast))
    slowly = (slow > fast) & stays & ~still
    return np.asarray(binary_opening(slowly, np.ones((3, 3), bool)))  # noise is in single pixels


def _stands_still(
    depth: NDArray[np.float32],
    far: NDArray[np.float32],
    window: NDArray[np.floating],
    most: NDArray[np.floating],
) -> NDArray[np.bool_]:
    """Return which pixels (H, W) show a still surface in many frames where they show the farthest.

    Args:
        depth: (T, H, W) (m).
        far: (H, W) farthest (m).
        window: (H, W) within which a depth is the farthest (m).
        most: (H, W) standard deviation of such depths, of a surface that stands still (m).
    """
    squares, count = np.zeros(far.shape), np.zeros(far.shape, np.int32)
    for image in depth:
        away = np.abs(image - far)
        near = away < window
        squares += np.where(near, away, 0.0) ** 2
        count += near
    settled = squares <= count * most**2
    return np.asarray(settled & (count >= RESTING * len(depth)))


@njit(cache=True, nogil=True)
def without_mixed(depth: NDArray[np.float32], errors: Errors, focal: float) -> NDArray[np.float32]:
    """Return a depth image (H, W) without pixels that lie between a near and a far neighbour.

    They mix what is in front with what is behind an outline.

    Args:
        depth: (H, W) (m).
        errors: Of it.
        focal: Focal length (pixels).
    """
    kept = depth.copy()
    for row in range(1, depth.shape[0] - 1):
        for column in range(1, depth.shape[1] - 1):
            z = depth[row, column]
            gate = max(2 * errors.step * errors.axial * z * z, 3 * z / focal)
            nearer, farther = False, False
            for r in range(row - 1, row + 2):
                for c in range(column - 1, column + 2):
                    nearer = nearer or depth[r, c] < z - gate
                    farther = farther or depth[r, c] > z + gate
            if nearer and farther:
                kept[row, column] = np.nan
    return kept
