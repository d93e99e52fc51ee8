"""Correct a recording for other extrinsics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, transform


def corrected(recording: Recording, poses: Array) -> Recording:
    """Return the recording with its cameras at other poses; every camera's points move with it.

    Args:
        recording: all of whose frames have cameras and poses.
        poses: (C, 4, 4) in the fixed frame.
    """
    return replace(
        recording,
        sequences=tuple(
            replace(part, frames=tuple(_corrected(frame, poses) for frame in part.frames))
            for part in recording.sequences
        ),
    )


def _corrected(frame: Frame, poses: Array) -> Frame:
    if frame.cameras is None or frame.camera_poses is None:
        raise InputError("a frame does not hold which camera saw which point; every frame must")
    moves = poses @ inverse(frame.camera_poses)
    points = transform(moves[frame.cameras], frame.points.astype(np.float64))
    return replace(frame, points=points.astype(np.float32), camera_poses=poses)


def write_corrected(recording: Recording, poses: Array, folder: Path) -> None:
    """Write the corrected recording to the folder, which must be empty or not exist yet."""
    with RecordingWriter(folder, recording.fixed_frame) as writer:
        writer.event("extrinsics_corrected", poses=np.asarray(poses).tolist())
        for part in corrected(recording, poses).sequences:
            writer.start_sequence(part.name)
            for frame in part.frames:
                writer.write_frame(frame)
