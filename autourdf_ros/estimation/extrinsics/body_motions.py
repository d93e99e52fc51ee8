"""Find how bodies move, as one camera by itself sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.data.validate import MIN_POINTS
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import OUTER, Prepared, spread_points
from autourdf_ros.estimation.motion.structure.structure_search import initial_estimate
from autourdf_ros.estimation.motion.structure.tracking.recording_tracking import track_recording
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, prepare_measured_cloud
from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.parallel import calm_blas, on_all_cores
from autourdf_ros.progress import Progress, part, silent

POINTS = 2500  # of a frame


@dataclass(frozen=True)
class BodyMotions:
    """B bodies in F frames, in one camera's optical frame (m).

    Attributes:
        poses: (F, B, 4, 4) from the first frame.
        centres: (B, 3) of the bodies in the first frame.
        used: (F,) bool, the inlier frames.
    """

    poses: Array
    centres: Array
    used: NDArray[np.bool_]


def body_motions(
    recording: Recording, camera: int, pose: Array, progress: Progress = silent
) -> BodyMotions:
    """Find the bodies that one camera sees move, and track them through all frames.

    They are found as the initial estimate of a reconstruction.

    Args:
        recording: the frames.
        camera: number of the camera.
        pose: (4, 4) of it in the fixed frame.
        progress: is called with the stage and the share done.

    Raises:
        InputError: where the camera sees too little, nothing that moves, or what cannot be tracked.
    """
    prepared = _prepared(recording, camera, inverse(pose))
    with calm_blas():
        problem, found = initial_estimate(
            prepared, ReconstructionOptions(points=POINTS), part(progress, 0.0, 0.7)
        )
        motion = track_recording(problem, found, part(progress, 0.7, 1.0))
    poses = body_poses(found.model, motion.states.values, motion.states.base)
    points, scale, centre = prepared.reference.points, prepared.scale, prepared.centre
    bodies = poses.shape[1]
    middles = [points[found.labels == body] for body in range(bodies)]
    centres = np.array([own.mean(axis=0) if len(own) else np.zeros(3) for own in middles])
    metric = poses.copy()
    metric[..., :3, 3] = scale * poses[..., :3, 3] + centre - poses[..., :3, :3] @ centre
    return BodyMotions(metric, scale * centres + centre, motion.used)


def _prepared(recording: Recording, camera: int, back: Array) -> Prepared:
    """What one camera saw, in its own frame, ready for the engine; back: (4, 4) into that frame."""

    def local(frame: Frame) -> Array:
        points = frame.points[frame.cameras == camera]
        if len(points) < MIN_POINTS:
            raise InputError(
                f"in the frame at {frame.stamp:.2f} s it has {len(points)} points; at least "
                f"{MIN_POINTS} are needed"
            )
        return transform(back, points.astype(np.float64))

    first = local(recording.frames[0])
    low, high = np.quantile(first, [OUTER, 1 - OUTER], axis=0)
    centre, scale = (low + high) / 2, float(np.linalg.norm(high - low))

    def cloud(frame: Frame) -> Cloud:
        points = (local(frame) - centre) / scale
        own = np.zeros(len(points), np.uint8)
        return prepare_measured_cloud(
            points, spread_points(points, POINTS), own, -centre[None] / scale
        )

    return Prepared(
        tuple(tuple(on_all_cores(cloud, part.frames)) for part in recording.sequences),
        tuple(tuple(None for _ in part.frames) for part in recording.sequences),
        tuple(tuple(f.joint_positions for f in part.frames) for part in recording.sequences),
        centre,
        scale,
        None,
    )
