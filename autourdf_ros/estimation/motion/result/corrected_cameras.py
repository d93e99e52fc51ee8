"""Where the cameras of a recording stand, corrected by what they see together."""

from __future__ import annotations

import numpy as np

from autourdf_ros.data.frame import Recording
from autourdf_ros.estimation.motion.reconstruction import CameraPose, CommonError
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.result.metric_poses import in_metres
from autourdf_ros.geometry.rigid_motion import log_so3

STILL = 1e-6  # m and entries of a rotation: up to which a pose is the same


def corrected_cameras(recording: Recording, prepared: Prepared) -> tuple[CameraPose, ...]:
    """Return every camera's pose; none where poses are not known, or differ between frames."""
    alignment = prepared.cameras
    poses = [frame.camera_poses for frame in recording.frames]
    given = [pose for pose in poses if pose is not None]
    if alignment is None or len(given) < len(poses) or not _same(given):
        return ()
    moves = in_metres(alignment.corrections, prepared)
    shifts = prepared.scale * np.linalg.norm(alignment.corrections[:, :3, 3], axis=1)
    turns = np.linalg.norm(log_so3(alignment.corrections[:, :3, :3]), axis=1)
    stds = [
        np.sqrt(np.linalg.eigvalsh(alignment.covariances[:, part, part])[:, -1].clip(0.0))
        for part in (slice(3), slice(3, 6))
    ]
    return tuple(
        CameraPose(move @ pose, float(turn), float(shift), float(turn_std), float(shift_std))
        for move, pose, turn, shift, turn_std, shift_std in zip(
            moves, given[0], turns, shifts, stds[0], prepared.scale * stds[1], strict=False
        )
    )


def common_error(prepared: Prepared) -> CommonError | None:
    """Return what all cameras may be off by together; None where they are not known."""
    if prepared.cameras is None:
        return None
    turn, shift = prepared.cameras.common_stds
    return CommonError(turn, prepared.scale * shift)


def _same(poses: list[np.ndarray]) -> bool:
    return all(
        pose.shape == poses[0].shape and np.abs(pose - poses[0]).max() < STILL for pose in poses
    )
