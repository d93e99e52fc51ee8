"""Points of what moves in a depth video, without the static background."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_opening

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.tracking.pixels.depth_images import (
    still_background,
    without_mixed,
)
from autourdf_ros.estimation.video.tracking.pixels.known_body import lens_of
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import transform

SCENE_STRIDE = 2
"""Of the rows and columns of all that a frame shows (resource bound)."""
LEAST_POINTS = 100
"""Of the frame that shows most, for anything to be said about parts."""


@dataclass(frozen=True)
class MovingPoints:
    """What moves, in some frames of a video.

    Attributes:
        frames: (F,) numbers of the frames, rising.
        points: For each (N, 3) points that are in front of the background, world (m).
        scenes: For each (M, 3) points of all that is seen, likewise: they hide what is behind.
        reference: Which of the frames shows most.
        eye: (3,) place of the camera in the world (m).
    """

    frames: NDArray[np.int64]
    points: tuple[Array, ...]
    scenes: tuple[Array, ...]
    reference: int
    eye: Array


def moving_points(video: CameraVideo, count: int, options: TrackOptions) -> MovingPoints:
    """Return the points that are in front of the static background.

    The background of a pixel is what it shows when nothing is in front of it: a thing that never
    moves is part of it, and so is a moving thing where it is farthest away.

    Args:
        video: Of a camera that stands still.
        count: Frames at most, evenly spread, beside the one that shows most.
        options: Of tracking: the noise of the images.

    Raises:
        InputError: there are no depths, or nothing moves.
    """
    if video.depth is None:
        raise InputError(
            "video: has no depth images; accepted for a video without depth is --shapes FOLDER"
        )
    background = still_background(video.depth, options)
    noise = background.errors.step * background.errors.axial * video.depth**2
    with np.errstate(invalid="ignore"):
        front = video.depth < background.depth - noise
    front = binary_opening(front, np.ones((1, 3, 3), bool))
    shown = front.sum(axis=(1, 2))
    most = int(shown.argmax())
    if shown[most] < LEAST_POINTS:
        raise InputError(
            f"video: nothing moves in it: at most {shown[most]} pixels of a frame are in front of "
            f"what stands still; accepted are {LEAST_POINTS} at least"
        )
    spread = np.linspace(0, len(shown) - 1, min(count, len(shown))).round().astype(int)
    frames = np.unique([*spread.tolist(), most])
    few = np.zeros(front.shape[1:], bool)
    few[::SCENE_STRIDE, ::SCENE_STRIDE] = True
    points, scenes = [], []
    for number in frames.tolist():
        depth = without_mixed(video.depth[number], background.errors, lens_of(video.camera).fx)
        points.append(_points(video, depth, front[number]))
        scenes.append(_points(video, depth, few))
    eye = np.array(video.camera.pose[:3, 3])
    reference = int(np.searchsorted(frames, most))
    return MovingPoints(frames, tuple(points), tuple(scenes), reference, eye)


def _points(video: CameraVideo, depth: NDArray[np.float32], kept: NDArray[np.bool_]) -> Array:
    """Points (N, 3) of pixels (H, W) that have a depth, in the world."""
    kept = kept & np.isfinite(depth)
    seen = np.asarray(video.camera.directions[kept] * depth[kept][:, None], float)
    return transform(video.camera.pose, seen)
