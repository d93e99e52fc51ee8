"""Track bodies of known shape through a video: the whole at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_checks import video_remarks
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.body_motion import first_motion
from autourdf_ros.estimation.video.tracking.body_tracker import FrameFits, track_frames
from autourdf_ros.estimation.video.tracking.icp_tracking import track_by_icp
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody, known_body
from autourdf_ros.estimation.video.tracking.placement.image_segments import with_masks_of
from autourdf_ros.estimation.video.tracking.placement.shape_placement import placed_bodies
from autourdf_ros.estimation.video.tracking.track_covariance import pose_track
from autourdf_ros.estimation.video.tracking.track_doubts import (
    fit_doubts,
    scene_doubts,
    sight_doubts,
    swap_doubts,
)
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.estimation.video.tracking.video_views import ColorView, DepthView
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.progress import Progress, part

INSTANT = 1e-3
"""From the first poses to the first frame that is tracked (s)."""
OUT_OF_SIGHT = np.diag([1.0, 1.0, 1.0, 1.0])
OUT_OF_SIGHT[2, 3] = -1e3
"""Pose of a body that is not found: behind the camera (m)."""


def track_bodies(
    video: CameraVideo,
    shapes: Sequence[VideoShape],
    options: TrackOptions,
    progress: Progress,
    start: int = 0,
) -> tuple[PoseTrack, tuple[str, ...]]:
    """Track bodies of known shape through a video.

    Args:
        video: Of a camera that stands still.
        shapes: Of the bodies.
        options: Choices.
        progress: Of the work.
        start: Frame that first poses are of, where there are depths: tracking goes on from it, and
            then back.

    Returns:
        Their poses, and sentences for the user, each a reason for doubt.

    Raises:
        InputError: there is no shape, or a mesh is empty.
    """
    if not shapes:
        raise InputError("shapes: there is none; accepted is at least one")
    to_camera = inverse(video.camera.pose)
    given = [None if one.first_pose is None else to_camera @ one.first_pose for one in shapes]
    bodies = [known_body(shape, options.symmetry) for shape in shapes]
    if video.depth is None:
        found = _by_colors(
            video, shapes, _in_plane(bodies, video, options), given, (options, progress)
        )
    else:
        video, first = _started(video, bodies, given, options)
        if options.method == "icp":
            started = _by_depth(first_frame(video), bodies, first, options, progress)
            track = track_by_icp(video, shapes, bodies, started, progress)
            return track, video_remarks(video)
        found = _by_depth(video, bodies, first, options, progress, start)
    systematic = [options.systematic if one.seen is None else options.measured for one in shapes]
    track = pose_track(video, bodies, found, systematic)
    known = all(one.seen is None for one in shapes)
    return track, (*video_remarks(video), *_doubts(video, bodies, found, track, known))


def _by_depth(
    video: CameraVideo,
    bodies: list[KnownBody],
    first: list[Array],
    options: TrackOptions,
    progress: Progress,
    start: int = 0,
) -> FrameFits:
    """Track from a frame to the end, and from there back to the first one."""
    view, moments = DepthView(video, options), list(enumerate(video.stamps.tolist()))

    def tracked(way: list[tuple[int, float]], instant: float, report: Progress) -> FrameFits:
        motions = [
            first_motion(body, pose, video.stamps[start] - instant, options)
            for body, pose in zip(bodies, first, strict=True)
        ]
        return track_frames(view, way, motions, options, report)

    turn = start / len(moments)
    found = tracked(moments[start:], INSTANT, part(progress, turn, 1.0))
    if not start:
        return found
    back = tracked(moments[start - 1 :: -1], -INSTANT, part(progress, 0.0, turn))
    return found.after(back)


def _in_plane(
    bodies: list[KnownBody], video: CameraVideo, options: TrackOptions
) -> list[KnownBody]:
    """Return bodies that move in a plane."""
    normal = np.array([0.0, 0.0, 1.0])
    if options.plane is not None:
        normal = video.camera.pose[:3, :3].T @ np.array(options.plane)
    return [replace(body, plane=normal / np.linalg.norm(normal)) for body in bodies]


def _by_colors(
    video: CameraVideo,
    shapes: Sequence[VideoShape],
    bodies: list[KnownBody],
    given: Sequence[Array | None],
    choices: tuple[TrackOptions, Progress],
) -> FrameFits:
    options, progress = choices
    motions = []
    for body, pose in zip(bodies, given, strict=True):
        if pose is None:
            raise InputError(
                f"shape {body.name}: has no first pose; accepted for a video without depth is one "
                "with a first pose"
            )
        motions.append(first_motion(body, pose, video.stamps[0] - INSTANT, options))
    colors = [None if one.color is None else np.array(one.color) for one in shapes]
    view = ColorView(video, colors, options)
    moments = list(enumerate(video.stamps.tolist()))
    return track_frames(view, moments, motions, options, progress)


def _started(
    video: CameraVideo,
    bodies: list[KnownBody],
    given: Sequence[Array | None],
    options: TrackOptions,
) -> tuple[CameraVideo, list[Array]]:
    """Return the video with masks in the order of the bodies, and first poses of all."""
    assert video.depth is not None
    first = list(given)
    if any(pose is None for pose in given):
        view = DepthView(video, options)
        known = list(zip(bodies, given, strict=True))
        first = placed_bodies(video, view.frame(0), view.background, known, options)
    poses = [OUT_OF_SIGHT if pose is None else pose for pose in first]
    return with_masks_of(video, bodies, poses, 2 * options.first_shift), poses


def first_frame(video: CameraVideo) -> CameraVideo:
    """Return a video of the first frame alone."""
    assert video.depth is not None
    masks = None if video.masks is None else video.masks[:1]
    return replace(video, stamps=video.stamps[:1], depth=video.depth[:1], colors=None, masks=masks)


def _doubts(
    video: CameraVideo,
    bodies: Sequence[KnownBody],
    found: FrameFits,
    track: PoseTrack,
    known: bool,
) -> Iterator[str]:
    yield from scene_doubts(found.around, known)
    yield from sight_doubts(track)
    period = float(np.median(np.diff(video.stamps))) if len(video.stamps) > 1 else np.inf
    for body, fits in zip(bodies, found.fits, strict=True):
        yield from fit_doubts(body, fits, period, video.camera.focal[0])
    yield from swap_doubts(bodies, track, video.masks is not None)
