"""A recording in memory: frames in sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frame:
    """One moment at which the robot stood still and was seen.

    Attributes:
        points: (N, 3) float32, metres, in the recording's fixed frame.
        colors: (N, 3) uint8 RGB, or None.
        stamp: seconds.
        joint_positions: motor readings by joint name (rad or m), or None where there are none.
        cameras: (N,) number of the camera that saw each point, or None where it is not known.
        camera_poses: (C, 4, 4) optical frame of every camera in the fixed frame, or None.
    """

    points: NDArray[np.float32]
    colors: NDArray[np.uint8] | None = None
    stamp: float = 0.0
    joint_positions: Mapping[str, float] | None = None
    cameras: NDArray[np.uint8] | None = None
    camera_poses: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Sequence:
    """Frames in order of time; the robot moves a little between neighbours."""

    frames: tuple[Frame, ...]
    name: str = ""


@dataclass(frozen=True)
class Recording:
    """All sequences of one robot, in one fixed frame.

    Attributes:
        sequences: in order of time.
        source: file or folder that it was read from, or None.
        fixed_frame: name of the frame of all points.
        cameras: topics of the depth cameras, where it was captured or extracted.
    """

    sequences: tuple[Sequence, ...]
    source: Path | None = None
    fixed_frame: str = "base_link"
    cameras: tuple[str, ...] = ()

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All frames of all sequences, in order."""
        return tuple(frame for sequence in self.sequences for frame in sequence.frames)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames for messages: the sequence's name and the number in it, from 0."""
        return tuple(
            f"{sequence.name}/{number}"
            for sequence in self.sequences
            for number in range(len(sequence.frames))
        )
