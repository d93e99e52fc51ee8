"""Disturbances of a recording: moved frames, lost points and lost readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.geometry.rigid_motion import transform


@dataclass(frozen=True)
class Disturbance:
    """The corruption of a recording; all zero: none.

    Every frame but the first of all moves as a whole, about the centre of its points.

    Attributes:
        turn: Standard deviation of the rotation per axis (rad).
        shift: Standard deviation of the translation per axis (m).
        drift: Whether the moves add up within a sequence, as those of a walking robot.
        lost_readings: Share of missing readings.
        lost_points: Share of missing points.
        seed: Of everything random.
    """

    turn: float = 0.0
    shift: float = 0.0
    drift: bool = False
    lost_readings: float = 0.0
    lost_points: float = 0.0
    seed: int = 0


NONE = Disturbance()


def disturbed(
    recording: Recording, disturbance: Disturbance
) -> tuple[Recording, NDArray[np.float64]]:
    """Return the corrupted recording, and the motion of every frame (F, 4, 4)."""
    rng = np.random.default_rng(disturbance.seed)
    moves, sequences = [], []
    for number, sequence in enumerate(recording.sequences):
        frames = []
        before = np.eye(4)
        for index, frame in enumerate(sequence.frames):
            move = np.eye(4) if number == index == 0 else _move(frame, disturbance, rng)
            if disturbance.drift:
                move = before = before @ move
            moves.append(move)
            readings = _kept(frame.joint_positions, disturbance.lost_readings, rng)
            frame = _thinned(frame, disturbance.lost_points, rng)
            points = transform(move, frame.points.astype(float)).astype(np.float32)
            frames.append(replace(frame, points=points, joint_positions=readings))
        sequences.append(replace(sequence, frames=tuple(frames)))
    return replace(recording, sequences=tuple(sequences)), np.array(moves)


def _move(frame: Frame, disturbance: Disturbance, rng: np.random.Generator) -> NDArray[np.float64]:
    middle = frame.points.mean(axis=0, dtype=float)
    move = np.eye(4)
    move[:3, :3] = Rotation.from_rotvec(rng.normal(0.0, disturbance.turn, 3)).as_matrix()
    move[:3, 3] = middle - move[:3, :3] @ middle + rng.normal(0.0, disturbance.shift, 3)
    return move


def _thinned(frame: Frame, lost: float, rng: np.random.Generator) -> Frame:
    if not lost:
        return frame
    kept = rng.random(len(frame.points)) >= lost
    colors = None if frame.colors is None else frame.colors[kept]
    cameras = None if frame.cameras is None else frame.cameras[kept]
    return replace(frame, points=frame.points[kept], colors=colors, cameras=cameras)


def _kept(
    readings: Mapping[str, float] | None, lost: float, rng: np.random.Generator
) -> Mapping[str, float] | None:
    if not readings or not lost:
        return readings
    return {name: value for name, value in readings.items() if rng.random() >= lost}
