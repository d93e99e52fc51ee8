"""Track bodies of known shape through a video: the whole at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.body_tracker import track_depth
from autourdf_ros.estimation.video.tracking.known_body import known_body
from autourdf_ros.estimation.video.tracking.track_covariance import pose_track
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.rigid_motion import inverse
from autourdf_ros.progress import Progress


def track_bodies(
    video: CameraVideo, shapes: Sequence[VideoShape], options: TrackOptions, progress: Progress
) -> tuple[PoseTrack, tuple[str, ...]]:
    """Track bodies of known shape through a video.

    Args:
        video: Of a camera that stands still.
        shapes: Of the bodies.
        options: Choices.
        progress: Of the work.

    Returns:
        Their poses, and sentences for the user, each a reason for doubt.

    Raises:
        InputError: there is no shape, or a mesh is empty.
    """
    if not shapes:
        raise InputError("shapes: there is none; accepted is at least one")
    bodies = [known_body(shape, options.symmetry) for shape in shapes]
    to_camera = inverse(video.camera.pose)
    first = [to_camera @ shape.first_pose for shape in shapes if shape.first_pose is not None]
    found = track_depth(video, bodies, first, options, progress)
    track = pose_track(video, bodies, found)
    return track, ()
