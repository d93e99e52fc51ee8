"""Take a recording apart again: what every camera saw, in its own frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.registration.preparation import spread_points
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, prepare_seen_cloud
from autourdf_ros.geometry.rigid_motion import inverse, log_se3, transform
from autourdf_ros.parallel import on_all_cores

LEAST_POINTS = 100  # of a camera in a frame; of fewer no plane can be relied on
MOVED = 1e-3  # rad or m that a standing camera's given pose may differ between frames


@dataclass(frozen=True)
class CameraViews:
    """What C cameras saw in F frames.

    Attributes:
        poses: (C, 4, 4) as given, optical frame in the fixed frame.
        clouds: by frame and camera, in that camera's optical frame, metres, normals towards the
            camera; None where it saw too little.
    """

    poses: Array
    clouds: tuple[tuple[Cloud | None, ...], ...]

    @property
    def count(self) -> int:
        """Number of cameras."""
        return len(self.poses)

    def frames(self, chosen: NDArray[np.int64]) -> CameraViews:
        """Return the same of some frames, by their numbers."""
        return replace(self, clouds=tuple(self.clouds[number] for number in chosen))


def given_poses(recording: Recording) -> Array:
    """Return the poses (C, 4, 4) of the cameras, which stand, in the fixed frame.

    Raises:
        InputError: where frames lack the points' cameras or the cameras' poses, where there is one
            camera only, and where one moves.
    """
    source = recording.source or "recording"
    for number, frame in enumerate(recording.frames):
        if frame.cameras is None or frame.camera_poses is None:
            lack = "camera saw which point" if frame.cameras is None else "pose every camera has"
            raise InputError(
                f"{source}: frame {number} does not hold which {lack}; a recording of the "
                "capture node or of 'autourdf extract' does, with two cameras or more"
            )
    poses = [np.asarray(frame.camera_poses) for frame in recording.frames]
    counts = {len(own) for own in poses}
    if counts != {len(poses[0])} or len(poses[0]) < 2:
        raise InputError(
            f"{source}: has {' or '.join(map(str, sorted(counts)))} camera(s) in a frame; accepted "
            "are two or more, the same in every frame: extrinsics are relative"
        )
    turned = np.abs(log_se3(inverse(poses[0]) @ np.array(poses))).max(axis=(0, 2))
    for camera in np.flatnonzero(turned > MOVED):
        raise InputError(
            f"{source}: camera {camera + 1} moves between frames, by up to "
            f"{turned[camera]:.2g} rad or m; accepted are cameras that stand: where a "
            "wrist camera is depends on its robot's joints"
        )
    return poses[0]


def camera_views(recording: Recording, points: int) -> CameraViews:
    """Return what every camera saw, thinned to `points` a view. Raises as `given_poses`."""
    poses = given_poses(recording)
    back = inverse(poses)

    def views(frame: Frame) -> tuple[Cloud | None, ...]:
        return tuple(_view(frame, camera, back[camera], points) for camera in range(len(poses)))

    return CameraViews(poses, tuple(on_all_cores(views, recording.frames)))


def _view(frame: Frame, camera: int, back: Array, points: int) -> Cloud | None:
    local = transform(back, frame.points[frame.cameras == camera].astype(np.float64))
    if len(local) < LEAST_POINTS:
        return None
    return prepare_seen_cloud(local, spread_points(local, points), np.zeros(3))
