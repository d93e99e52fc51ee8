"""Point-to-point registration from frame to frame: the baseline of Heiden et al. (2022)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import open3d as o3d
import trimesh

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.tracking.body_tracker import FrameFits
from autourdf_ros.estimation.video.tracking.pixels.depth_images import (
    StillBackground,
    still_background,
)
from autourdf_ros.estimation.video.tracking.pixels.known_body import KnownBody
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import skew, transform
from autourdf_ros.geometry.surface_distance import points_on
from autourdf_ros.progress import Progress

REACH = 0.5
"""Distance within which points may correspond, in radii of the body."""
FEWEST = 10
"""Correspondences from which a body counts as seen."""


def track_by_icp(
    video: CameraVideo,
    shapes: Sequence[VideoShape],
    bodies: Sequence[KnownBody],
    started: FrameFits,
    progress: Progress,
) -> PoseTrack:
    """Register samples of every mesh to what moves in every frame, from the frame before.

    Args:
        video: With depth images.
        shapes: B shapes.
        bodies: The same, prepared.
        started: Of the first frame: as in the paper, the better method finds the first poses.
        progress: Of the work.
    """
    assert video.depth is not None
    background = still_background(video.depth, TrackOptions())
    count = len(video.stamps)
    poses = np.full((len(bodies), count, 4, 4), np.nan)
    covariances = np.full((len(bodies), count, 6, 6), np.nan)
    meshes = [trimesh.Trimesh(s.mesh.vertices, s.mesh.triangles) for s in shapes]
    clouds = [_cloud(points_on(mesh)) for mesh in meshes]
    last = [fits[0].pose if fits[0] is not None else np.eye(4) for fits in started.fits]
    for k in range(count):
        progress("registering", k / count)
        for b, body in enumerate(bodies):
            target = _cloud(_points(video, background, k, b))
            found = o3d.pipelines.registration.registration_icp(
                clouds[b], target, REACH * body.radius, last[b]
            )
            pairs = np.asarray(found.correspondence_set)
            if len(pairs) < FEWEST:
                continue
            last[b] = np.array(found.transformation)
            poses[b, k] = video.camera.pose @ last[b]
            moved = transform(poses[b, k], np.asarray(clouds[b].points)[pairs[:, 0]])
            centre = transform(poses[b, k], body.symmetry.centre)
            covariances[b, k] = _covariance(moved - centre, found.inlier_rmse)
    symmetries = tuple(body.symmetry for body in bodies)
    centres = np.array([one.centre for one in symmetries])
    names = tuple(body.name for body in bodies)
    return PoseTrack(names, video.stamps, poses, covariances, centres, symmetries)


def _cloud(points: Array) -> o3d.geometry.PointCloud:
    return o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))


def _points(video: CameraVideo, background: StillBackground, frame: int, body: int) -> Array:
    """Return the points of a frame's mask, or those that are not background; camera's frame."""
    assert video.depth is not None
    depth = video.depth[frame]
    masks = video.masks
    shown = ~background.shows(depth) if masks is None else masks[frame] == body + 1
    shown = shown & np.isfinite(depth)
    return np.asarray(video.camera.directions[shown] * depth[shown][:, None], float)


def _covariance(offsets: Array, deviation: float) -> Array:
    """Return (6, 6) of the twist if all points' errors were independent and equal in all axes."""
    cross = -skew(offsets)
    information = np.zeros((6, 6))
    information[:3, :3] = np.einsum("nki,nkj->ij", cross, cross)
    information[:3, 3:] = cross.sum(axis=0).T
    information[3:, :3] = information[:3, 3:].T
    information[3:, 3:] = len(offsets) * np.eye(3)
    return np.asarray(np.linalg.inv(information + 1e-9 * np.eye(6)) * max(deviation, 1e-6) ** 2)
