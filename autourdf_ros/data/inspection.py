"""Figures of a recording, and warnings about what impairs a reconstruction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.data.validate import extent, validate
from autourdf_ros.errors import InputError

# Below these values reconstructions were observed to become uncertain or impossible.
_FRAMES = 10
_POINTS = 1000
_RANGE = 0.1  # rad or m, of a joint that is meant to move
_MOVED = 0.01  # rad or m, between two frames that are not the same
_STEP = 0.6  # rad or m, between neighbouring frames
_ALIKE = 0.995  # correlation of two joints
_LARGE = 5.0  # m, more than a robot that stands in a cell
_THIN = 0.5  # share of the median number of points
_WORST = 6  # frames or joints named in one warning


@dataclass(frozen=True)
class JointRange:
    """Motion of a joint: lowest and highest position, largest step between frames (rad or m)."""

    lowest: float
    highest: float
    largest_step: float


@dataclass(frozen=True)
class Inspection:
    """Figures of a recording.

    Attributes:
        source: file or folder of the recording.
        fixed_frame: frame of all points.
        sequences: name and number of frames of every sequence.
        duration: seconds from the first to the last frame.
        points: number of points of every frame.
        has_colors: whether every frame has colours.
        size: largest side of the robot, the median over frames (m).
        joints: motion of the joints that are read in every frame.
        cameras: share of all points that each camera saw; empty where it is not known.
        warnings: what impairs a reconstruction, the worst first.
    """

    source: str
    fixed_frame: str
    sequences: tuple[tuple[str, int], ...]
    duration: float
    points: tuple[int, ...]
    has_colors: bool
    size: float
    joints: Mapping[str, JointRange]
    cameras: tuple[float, ...]
    warnings: tuple[str, ...]


def inspect(recording: Recording) -> Inspection:
    """Measure a recording and warn about what impairs a reconstruction."""
    frames = recording.frames
    names, table = joint_table(frames)
    steps = _steps(recording, table)
    shares = camera_shares(frames)
    size = float(np.median([extent(frame.points) for frame in frames]))
    points = tuple(len(frame.points) for frame in frames)
    stamps = [frame.stamp for frame in frames]
    return Inspection(
        source=str(recording.source or "recording"),
        fixed_frame=recording.fixed_frame,
        sequences=tuple((part.name, len(part.frames)) for part in recording.sequences),
        duration=max(stamps) - min(stamps),
        points=points,
        has_colors=all(frame.colors is not None for frame in frames),
        size=size,
        joints={
            name: JointRange(
                float(column.min()),
                float(column.max()),
                float(step.max()) if len(step) else 0.0,
            )
            for name, column, step in zip(names, table.T, steps.T, strict=True)
        },
        cameras=() if shares is None else tuple(_whole_shares(frames, shares)),
        warnings=(
            *_fatal(recording),
            *_about_frames(recording, points, size),
            *_about_joints(frames, names, table),
            *_about_steps(recording, names, steps),
            *_about_cameras(shares),
        ),
    )


def joint_table(frames: tuple[Frame, ...]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names of the J joints read in every frame, and positions (F, J) (rad or m)."""
    first = frames[0].joint_positions or {}
    names = tuple(
        name for name in first if all(name in (frame.joint_positions or {}) for frame in frames)
    )
    rows = [[(frame.joint_positions or {})[name] for name in names] for frame in frames]
    return names, np.array(rows, float).reshape(len(frames), len(names))


def camera_shares(frames: tuple[Frame, ...]) -> NDArray[np.float64] | None:
    """Return the share (F, C) of a frame's points that each camera saw, or None if unknown."""
    seen = [frame.cameras for frame in frames if frame.cameras is not None]
    if len(seen) < len(frames):
        return None
    count = 1 + max(int(cameras.max()) for cameras in seen)
    counts = np.array([np.bincount(cameras, minlength=count) for cameras in seen], float)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _whole_shares(frames: tuple[Frame, ...], shares: NDArray[np.float64]) -> list[float]:
    counts = np.array([len(frame.points) for frame in frames])
    return [float(share) for share in counts @ shares / counts.sum()]


def _steps(recording: Recording, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the motion (S, J) between neighbouring frames of a sequence."""
    ends = np.cumsum([len(part.frames) for part in recording.sequences])
    parts = [np.abs(np.diff(part, axis=0)) for part in np.split(table, ends[:-1])]
    return np.concatenate(parts)


def _fatal(recording: Recording) -> list[str]:
    try:
        validate(recording)
    except InputError as error:
        return [f"cannot be reconstructed: {error}"]
    return []


def _about_frames(recording: Recording, points: tuple[int, ...], size: float) -> list[str]:
    found = []
    count = len(points)
    if count < _FRAMES:
        found.append(f"{count} frames are few; 20 to 50 give a reliable model")
    if len(recording.sequences) == 1 and count >= _FRAMES:
        found.append("one sequence only: several that begin in one pose separate the joints better")
    median = float(np.median(points))
    if median < _POINTS:
        found.append(f"{median:.0f} points in the median frame are few; up to 5000 are used")
    thin = [number for number, points in enumerate(points) if points < _THIN * median]
    if thin:
        found.append(f"frames {_some(thin)} have less than half the points of the median frame")
    if size > _LARGE:
        found.append(
            f"the robot measures {size:.3g} m: the room may be in it (crop it), or the points are "
            "in millimetres"
        )
    stamps = [frame.stamp for frame in recording.frames]
    back = [number for number, (one, two) in enumerate(pairwise(stamps), 1) if two < one]
    if back:
        found.append(f"frames {_some(back)} are older than those before them: check the clocks")
    return found


def _about_joints(
    frames: tuple[Frame, ...], names: tuple[str, ...], table: NDArray[np.float64]
) -> list[str]:
    found = []
    anywhere = {name for frame in frames for name in frame.joint_positions or {}}
    if not anywhere:
        found.append("no joint readings: joints get no motors' names, and are harder to separate")
    partly = sorted(anywhere - set(names))
    if partly:
        found.append(f"joints {_some(partly)} are not read in every frame")
    if not names:
        return found
    spans = np.ptp(table, axis=0)
    still = [name for name, span in zip(names, spans, strict=True) if span < _MOVED]
    little = [name for name, span in zip(names, spans, strict=True) if _MOVED <= span < _RANGE]
    if still:
        found.append(f"joints {_some(still)} never moved and cannot be found")
    if little:
        found.append(
            f"joints {_some(little)} moved by less than {_RANGE:g} rad, too little for a sure axis"
        )
    moving = np.flatnonzero(spans >= _MOVED)
    if len(moving) > 1 and len(table) > 2:
        likeness = np.abs(np.corrcoef(table[:, moving].T))
        pairs = np.argwhere(np.triu(likeness > _ALIKE, 1))
        alike = [f"{names[moving[a]]} with {names[moving[b]]}" for a, b in pairs]
        if alike:
            found.append(f"joints that always moved together: {_some(alike)}; one may hide another")
    return found


def _about_steps(
    recording: Recording, names: tuple[str, ...], steps: NDArray[np.float64]
) -> list[str]:
    if not names:
        return []
    found = []
    numbers = [
        number for start, count in _spans(recording) for number in range(start + 1, start + count)
    ]
    moved = steps.max(axis=1)
    same = [number for number, step in zip(numbers, moved, strict=True) if step < _MOVED]
    far = [number for number, step in zip(numbers, moved, strict=True) if step > _STEP]
    if same:
        found.append(f"frames {_some(same)} show the pose of the frame before")
    if far:
        found.append(
            f"frames {_some(far)} are more than {_STEP:g} rad from the frame before: smaller steps "
            "are tracked more reliably"
        )
    return found


def _about_cameras(shares: NDArray[np.float64] | None) -> list[str]:
    if shares is None:
        return []
    found = []
    blind = np.flatnonzero((shares == 0).any(axis=0))
    for camera in blind[:_WORST]:
        frames = np.flatnonzero(shares[:, camera] == 0)
        which = "any frame" if len(frames) == len(shares) else f"frames {_some(frames.tolist())}"
        found.append(f"camera {camera} saw nothing in {which}")
    if shares.shape[1] == 1:
        found.append("one camera only: what it never saw is missing from the meshes")
    return found


def _spans(recording: Recording) -> list[tuple[int, int]]:
    """Return the first frame and the number of frames of every sequence."""
    counts = [len(part.frames) for part in recording.sequences]
    return list(zip(np.cumsum([0, *counts[:-1]]).tolist(), counts, strict=True))


def _some(items: list) -> str:
    shown = ", ".join(map(str, items[:_WORST]))
    return f"{shown} and {len(items) - _WORST} more" if len(items) > _WORST else shown
