"""Segments of the first depth image: of given masks, or of what moves during the video."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_opening, label
from scipy.optimize import linear_sum_assignment

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.estimation.video.tracking.pixels.depth_images import StillBackground
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, transform

MOST = 6
"""Segments in which shapes are sought (resource bound)."""


def image_segments(
    video: CameraVideo, background: StillBackground, taken: NDArray[np.bool_], least: int
) -> list[NDArray[np.bool_]]:
    """Return segments (H, W) of the first image, the largest first.

    Without masks, they are connected pixels in front of the background, which are those that change
    during the video: what never moves is none.

    Args:
        video: With depth images.
        background: What does not move.
        taken: (H, W) pixels that show bodies whose place is known.
        least: Pixels of a segment at least.
    """
    assert video.depth is not None
    depth = video.depth[0]
    free = np.isfinite(depth) & ~taken
    if video.masks is not None:
        numbers = np.unique(video.masks[0][video.masks[0] > 0])
        found = [(video.masks[0] == number) & free for number in numbers]
    else:
        parts, count = label(binary_opening(free & ~background.shows(depth)))
        found = [parts == number for number in range(1, count + 1)]
    found = [one for one in found if one.sum() >= least]
    return sorted(found, key=lambda one: -int(one.sum()))[:MOST]


def with_masks_of(
    video: CameraVideo, bodies: list[KnownBody], poses: list[Array], reach: float
) -> CameraVideo:
    """Return the video with masks that number the bodies in their order, from 1.

    A mask belongs to the body whose surface is nearest to its points in the first image; masks of
    none get the number behind the last body's: foreign objects.

    Args:
        video: With depth images.
        bodies: B bodies.
        poses: Their (4, 4) poses in the first image, in the camera's frame.
        reach: Distance beyond which it counts no more how far a point is (m).
    """
    if video.masks is None or video.depth is None:
        return video
    numbers = np.unique(video.masks[0][video.masks[0] > 0])
    costs = np.full((len(numbers), len(bodies)), reach)
    for row, number in enumerate(numbers):
        shown = (video.masks[0] == number) & np.isfinite(video.depth[0])
        points = segment_points(video, shown)
        if len(points):
            for column, (body, pose) in enumerate(zip(bodies, poses, strict=True)):
                away = np.abs(body.grid(transform(inverse(pose), points)))
                costs[row, column] = np.minimum(away, reach).mean()
    table = np.full(256, len(bodies) + 1, np.uint8)
    table[0] = 0
    for row, column in zip(*linear_sum_assignment(costs), strict=True):
        table[numbers[row]] = column + 1
    return replace(video, masks=table[video.masks])


def segment_points(video: CameraVideo, shown: NDArray[np.bool_]) -> Array:
    """Return the points (N, 3) of pixels (H, W) of the first image in the camera's frame."""
    assert video.depth is not None
    return np.asarray(video.camera.directions[shown] * video.depth[0][shown][:, None], float)
