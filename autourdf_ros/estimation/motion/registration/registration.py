"""Register the reference to early frames, before anything is known of the robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.registration.graph_tracking import Tracking
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, abreast, staged

FRAMES = 5  # without readings, by default; a model is tracked through the rest
SEQUENCES = 2  # with readings
AT_START = 0.05  # rad or m that a motor may be off its reading in the reference frame


@dataclass(frozen=True)
class EarlyFrames:
    """The frames that the reference is registered to.

    Attributes:
        frames: F frames.
        poses: (F, K, 4, 4) of the graph's nodes in them, from the reference.
        readings: (F, M) of the motors, if there are any.
    """

    frames: list[Cloud]
    poses: Array
    readings: Array | None


Track = Callable[[int, list[Cloud], Callable[[float], None]], Tracking]
"""Tracks the reference through frames of a sequence, by its number, and reports its progress."""


def early_sequences(prepared: Prepared, readings: Array | None) -> list[int]:
    """Return the numbers of the sequences that the reference is registered to, in order.

    They are the first one and, with readings, the next that starts where that does.

    Args:
        prepared: the recording in engine units.
        readings: as for `register_early_frames`.
    """
    if readings is None:
        return [0]
    starts = np.cumsum([0, *map(len, prepared.sequences)])[:-1]
    at_start = np.abs(readings[starts]).max(axis=1) < AT_START
    chosen = np.flatnonzero(at_start)[:SEQUENCES].tolist()
    return [number for number in chosen if len(prepared.sequences[number]) > 1]


def register_early_frames(
    prepared: Prepared,
    readings: Array | None,
    track: Track,
    progress: Progress,
    count: int = FRAMES,
) -> EarlyFrames:
    """Register the reference, which is the first frame, to frames of the first sequence.

    With readings, also to the next sequence that starts where the first one does: joints that move
    alike in one sequence, so that the other's motor could move each, hardly do so in two.

    Args:
        prepared: the recording in engine units.
        readings: (F, M) of the motors in all frames, relative to the reference, if there are any.
        track: tracks the reference through a sequence.
        progress: is called with the stage and the share done.
        count: frames of the first sequence without readings, at most; with readings it is all.

    Raises:
        ReconstructionError: where no frame can be registered.
    """
    if len(prepared.sequences[0]) < 2:
        raise ReconstructionError(
            "the first sequence has 1 frame; it needs at least 2, between which the robot moves"
        )
    starts = np.cumsum([0, *map(len, prepared.sequences)])[:-1]
    chosen = early_sequences(prepared, readings)
    length = count if readings is None else len(prepared.clouds)
    sequences = [list(prepared.sequences[number][1 : 1 + length]) for number in chosen]
    reports = [staged(share, "registration") for share in abreast(progress, len(chosen))]
    trackings = on_all_cores(track, chosen, sequences, reports)
    tracked = [
        (age, starts[number] + 1 + age, frames[age], tracking.poses[age])
        for number, frames, tracking in zip(chosen, sequences, trackings, strict=True)
        for age in np.flatnonzero(tracking.good).tolist()
    ]
    if not tracked:
        raise ReconstructionError(
            "no frame could be registered to the first one; between frames of a recording, every "
            "joint may move by a few degrees only, and nothing that bends, comes or goes (a cable, "
            "a cover, a person) may be in view"
        )
    # Tracking gets worse with every frame: the first ones of all sequences come first.
    tracked.sort(key=lambda entry: entry[:2])
    return EarlyFrames(
        [frame for _, _, frame, _ in tracked],
        np.array([poses for *_, poses in tracked]),
        None if readings is None else readings[[index for _, index, _, _ in tracked]],
    )
