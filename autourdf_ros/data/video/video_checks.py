"""What makes a video or its shapes unusable, and what of them is worth a warning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import inverse, log_so3

Array = NDArray[np.float64]


@dataclass(frozen=True)
class VideoLimits:
    """What is accepted of a video.

    Attributes:
        moved: Most that the camera moves, as a share of a pixel's width at the image's centre: of
            the turn, and of the shift at a distance of 1 m.
        bytes: Of all decoded images together: a bound of memory.
        frames: Number of frames: a bound of memory.
        nearest: Least median depth of a frame (m); less is another unit.
        farthest: Greatest median depth (m); more is another unit.
        gap: A pause between frames of more than this many median periods is named.
        smallest: Least size of a shape in the image (pixels); less is another unit.
        largest: Greatest size of a shape, in image diagonals; more is another unit.
    """

    moved: float = 0.5
    bytes: int = 2**32
    frames: int = 100_000
    nearest: float = 0.02
    farthest: float = 200.0
    gap: float = 1.7
    smallest: float = 3.0
    largest: float = 4.0


LIMITS = VideoLimits()


def check_stillness(source: str, poses: Array, focal: float) -> Array:
    """Return the pose (4, 4) of a camera that stands still.

    Args:
        source: Names the file in the error.
        poses: (T, 4, 4) of the camera in the world.
        focal: Its focal length (pixels).

    Raises:
        InputError: It moves by more than `VideoLimits.moved`.
    """
    apart = inverse(poses[:1]) @ poses
    turns = np.linalg.norm(log_so3(np.ascontiguousarray(apart[:, :3, :3])), axis=1)
    shifts = np.linalg.norm(apart[:, :3, 3], axis=1)
    worst = int(np.argmax(np.maximum(turns, shifts)))
    if max(turns[worst], shifts[worst]) * focal > LIMITS.moved:
        raise InputError(
            f"{source}: the camera of frame {worst} is {shifts[worst]:.4f} m and "
            f"{np.degrees(turns[worst]):.2f} degrees from that of frame 0; accepted is a camera "
            f"that stands still, up to {LIMITS.moved / focal:.4f} m and rad"
        )
    return np.asarray(poses[0])


def check_amount(source: str, frames: int, size: tuple[int, int], bytes_a_pixel: int) -> None:
    """Raise InputError where a video would take more memory than is accepted.

    Args:
        source: Names the file in the error.
        frames: Number of images.
        size: Width and height (pixels).
        bytes_a_pixel: Of all kinds of images together.
    """
    if not 0 < frames <= LIMITS.frames or min(size) < 1:
        raise InputError(
            f"{source}: {frames} frames of {size[0]} x {size[1]} pixels; accepted are 1 to "
            f"{LIMITS.frames} frames of at least 1 x 1"
        )
    if frames * size[0] * size[1] * bytes_a_pixel > LIMITS.bytes:
        raise InputError(
            f"{source}: {frames} frames of {size[0]} x {size[1]} pixels would take more than "
            f"{LIMITS.bytes >> 30} GiB; accepted are shorter or smaller videos"
        )


def check_stamps(source: str, stamps: Array) -> None:
    """Raise InputError naming the first frame whose time is not finite or does not rise."""
    wrong = np.flatnonzero(~(np.isfinite(stamps[1:]) & (np.diff(stamps) > 0)))
    if not np.isfinite(stamps[:1]).all() or len(wrong):
        number = int(wrong[0]) + 1 if len(wrong) else 0
        before = f" after {stamps[number - 1]} s" if number else ""
        raise InputError(
            f"{source}: time {number} is {stamps[number]} s{before}; accepted are finite times "
            "(s) that rise"
        )


def checked_video(video: CameraVideo) -> CameraVideo:
    """Return a video whose depths are in metres as far as one can judge.

    Raises:
        InputError: There are no depths, or their median means another unit.
    """
    if video.depth is None:
        return video
    some = video.depth[:: max(1, len(video.stamps) // 8)]
    seen = some[np.isfinite(some)]
    if not len(seen):
        raise InputError(f"{video.source}: has no depth in any pixel; accepted are depths in m")
    middle = float(np.median(seen))
    if not LIMITS.nearest <= middle <= LIMITS.farthest:
        raise InputError(
            f"{video.source}: the median depth is {middle:.4g} m; accepted are {LIMITS.nearest} to "
            f"{LIMITS.farthest} m: another unit of length?"
        )
    return video


def video_remarks(video: CameraVideo) -> tuple[str, ...]:
    """Return sentences about dropped and empty frames."""
    remarks = []
    periods = np.diff(video.stamps)
    if len(periods):
        period = float(np.median(periods))
        gaps = np.flatnonzero(periods > LIMITS.gap * period)
        lost = int(np.round(periods[gaps] / period - 1).sum())
        if len(gaps):
            remarks.append(
                f"about {lost} frames were dropped in {len(gaps)} gaps, the first one after "
                f"{video.stamps[gaps[0]]:.3f} s; the period is {period:.4g} s"
            )
    if video.depth is not None:
        empty = np.flatnonzero(~np.isfinite(video.depth).any(axis=(1, 2)))
        if len(empty):
            remarks.append(f"{len(empty)} frames have no depth, the first one is {empty[0]}")
    return tuple(remarks)


def check_shapes(video: CameraVideo, shapes: Sequence[VideoShape]) -> None:
    """Compare the shapes with what the camera sees.

    Raises:
        InputError: A shape has an impossible size in the image (another unit), or its first pose is
            out of sight.
    """
    for shape in shapes:
        _check_scale(video, shape)
        if shape.first_pose is not None:
            _check_sight(video, shape, shape.first_pose)


def _check_scale(video: CameraVideo, shape: VideoShape) -> None:
    size = float(np.linalg.norm(np.ptp(shape.mesh.vertices, axis=0)))
    distance = _distance(video, shape)
    if distance is None:
        return
    camera = video.camera
    pixels = size / distance * camera.focal[0]
    most = LIMITS.largest * float(np.hypot(camera.width, camera.height))
    if not LIMITS.smallest <= pixels <= most:
        raise InputError(
            f"shape {shape.name!r} is {size:.4g} m large, which is {pixels:.3g} pixels at the "
            f"distance of {distance:.3g} m; accepted are {LIMITS.smallest:g} to {most:.0f} pixels: "
            "state the unit of its mesh with 'scale' in shapes.yaml"
        )


def _distance(video: CameraVideo, shape: VideoShape) -> float | None:
    if shape.first_pose is not None:
        apart = float(np.linalg.norm(shape.first_pose[:3, 3] - video.camera.pose[:3, 3]))
        return max(apart, 1e-6)
    if video.depth is None:
        return None
    first = video.depth[0]
    return float(np.nanmedian(first)) if np.isfinite(first).any() else None


def _check_sight(video: CameraVideo, shape: VideoShape, pose: Array) -> None:
    camera = video.camera
    points = shape.mesh.hull @ pose[:3, :3].T + pose[:3, 3]
    pixels, depths = camera.project(points)
    inside = (pixels > -0.5).all(axis=1) & (pixels < [camera.width, camera.height]).all(axis=1)
    if not (inside & (depths > 0)).any():
        where, depth = camera.project(points.mean(axis=0, keepdims=True))
        place = "behind the camera" if depth[0] <= 0 else f"at pixel {where[0].round().tolist()}"
        raise InputError(
            f"shape {shape.name!r}: its first pose puts it {place}, out of sight; accepted is a "
            f"pose that the camera sees ({camera.width} x {camera.height} pixels), or none"
        )
