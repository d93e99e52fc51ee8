"""Checks that a recording is sufficient for a reconstruction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from scipy.spatial.transform import Rotation

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.unit_check import check_metres
from autourdf_ros.errors import InputError

MIN_FRAMES = 2
MIN_POINTS = 100
MIN_SIZE = 0.01
MAX_SIZE = 100.0

_MILLIMETRES = (
    "; these are probably millimetres: record with cloud_scale 0.001, extract with --cloud-scale "
    "0.001, or divide the files' points by 1000"
)

FLATTEST = 0.002
"""Least ratio of the smallest to the largest side of the robot's box along its principal axes.
Motion within the plane of a flatter robot cannot be seen."""
_COUNTED = 100_000  # points among which distinct ones are counted

# The lower quantile finds small motions of many points, the upper one large motions of few.
_QUANTILES = (0.8, 0.99)
# Still scenes measured up to 0.03 (sampling error of the quantiles), neighbouring frames of real
# recordings 0.11 and more.
_MOVED_SHARE = 0.05
_SAMPLES = 4000
_NEIGHBOURS = 8


def validate(recording: Recording) -> None:
    """Check the number of frames and points, the robot's size, and that it moves.

    Raises:
        InputError: names the recording, the value found and what is accepted.
    """
    source = recording.source or "recording"
    count = len(recording.frames)
    if count < MIN_FRAMES:
        raise InputError(f"{source}: has {count} frame(s); accepted is at least {MIN_FRAMES}")
    for sequence in recording.sequences:
        for index, frame in enumerate(sequence.frames):
            validate_frame(frame, f"{source}: sequence {sequence.name!r} frame {index}")
            _check_depth(frame, f"{source}: sequence {sequence.name!r} frame {index}")
    size = float(np.median([extent(frame.points) for frame in recording.frames]))
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise InputError(
            f"{source}: the robot measures {size:.3g} m; accepted is {MIN_SIZE} to {MAX_SIZE:g} m "
            f"(points are taken as metres{_MILLIMETRES if size > MAX_SIZE else ''})"
        )
    flat = [_flatness(frame.points) for frame in recording.frames]
    if max(flat) < FLATTEST:
        raise InputError(
            f"{source}: all points of every frame lie in a plane or on a line (its thickness is at "
            f"most {max(flat):.2%} of its size; accepted is at least {FLATTEST:.1%} in one frame): "
            "motion within it cannot be seen"
        )
    if not any(share >= _MOVED_SHARE for share in _moved_shares(recording)):
        raise InputError(
            f"{source}: nothing moves in its {count} frames beyond their noise, or only the robot "
            "as a whole; accepted is a recording in which the robot's joints move"
        )


def validate_frame(frame: Frame, where: str) -> None:
    """Check the points of one frame. Raise InputError, whose message begins with `where`."""
    if not np.isfinite(frame.points).all():
        raise InputError(f"{where}: has points that are not finite")
    if len(frame.points) < MIN_POINTS:
        raise InputError(
            f"{where}: has {len(frame.points)} points; accepted is at least {MIN_POINTS}"
        )
    some = frame.points[:: -(-len(frame.points) // _COUNTED)]
    different = len(np.unique(some, axis=0))
    if different < MIN_POINTS:
        raise InputError(
            f"{where}: {len(some)} of its points are at {different} different places; accepted is "
            f"at least {MIN_POINTS}"
        )


def _check_depth(frame: Frame, where: str) -> None:
    """Check that the points are in metres, where the camera poses are known."""
    if frame.cameras is not None and frame.camera_poses is not None:
        check_metres(frame.points - frame.camera_poses[frame.cameras, :3, 3], where)


def extent(points: NDArray[np.float32]) -> float:
    """Return the largest side (m) of the box of (N, 3) points without 1 % at either end."""
    low, high = np.percentile(points, [1, 99], axis=0)
    return float((high - low).max())


def _flatness(points: NDArray[np.float32]) -> float:
    """Return the ratio of the least to the largest side of the box along the principal axes.

    The box of (N, 3) points is without 1 % at either end, as in `extent`.
    """
    some = points[:: -(-len(points) // _COUNTED)].astype(float)
    some = some - some.mean(axis=0)
    local = some @ np.linalg.eigh(some.T @ some)[1]
    low, high = np.percentile(local, [1, 99], axis=0)
    sides = high - low
    return float(sides.min() / sides.max())


def moved_share(still: Frame, moved: Frame) -> float:
    """Return the share of the points of one frame that moved since another.

    The frames are aligned as rigid bodies. A point has moved where it is farther from the other
    frame than a quantile of that frame's own point distances. The share that the quantile itself
    expects is subtracted, so that two samplings of a still scene give about 0.
    """
    rng = np.random.default_rng(0)
    reference, control = _halves(still.points, rng)
    probe, _ = _halves(moved.points, rng)
    surface = _Surface(reference)
    baseline = np.quantile(surface.distances(control), _QUANTILES, axis=1)
    limits = np.maximum(baseline, 1e-4 * extent(still.points))
    beyond = surface.distances(surface.align(probe)) > limits[..., None]
    expected = 1.0 - np.array(_QUANTILES)
    return float((beyond.mean(axis=2) - expected[:, None]).max())


def _moved_shares(recording: Recording) -> Iterator[float]:
    """Yield the shares of the likeliest pairs first: the caller stops at the first that moved."""
    firsts = [sequence.frames[0] for sequence in recording.sequences if sequence.frames]
    for sequence in recording.sequences:
        for index in _far_first(sequence):
            yield moved_share(sequence.frames[0], sequence.frames[index])
    for first in firsts[1:]:
        yield moved_share(firsts[0], first)


def _far_first(sequence: Sequence) -> list[int]:
    """Return the indices of at most eight frames after the first, the last one first."""
    last = len(sequence.frames) - 1
    return list(dict.fromkeys(np.linspace(last, 1, 8).round().astype(int))) if last > 0 else []


def _halves(
    points: NDArray[np.float32], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    chosen = points[rng.permutation(len(points))[:_SAMPLES]].astype(float)
    middle = len(chosen) // 2
    return chosen[:middle], chosen[middle:]


class _Surface:
    """Points with local planes."""

    def __init__(self, points: NDArray[np.float64]) -> None:
        self._points = points
        self._tree = KDTree(points)
        _, neighbours = self._tree.query(points, _NEIGHBOURS)
        local = points[neighbours]
        local = local - local.mean(axis=1, keepdims=True)
        _, vectors = np.linalg.eigh(local.swapaxes(1, 2) @ local)
        self._normals = vectors[:, :, 0]

    def distances(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (2, N) distances to the nearest point, and to the plane there (m)."""
        distance, nearest = self._tree.query(points)
        offset = points - self._points[nearest]
        return np.stack([distance, np.abs((offset * self._normals[nearest]).sum(axis=1))])

    def align(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Align `points` with the surface by trimmed point-to-plane ICP (Chen, Medioni, 1992)."""
        for _ in range(20):
            distance, nearest = self._tree.query(points)
            close = distance <= np.quantile(distance, 0.7)
            matched, normals = points[close], self._normals[nearest[close]]
            gap = ((self._points[nearest[close]] - matched) * normals).sum(axis=1)
            rows = np.hstack([np.cross(matched, normals), normals])
            twist = np.linalg.lstsq(rows, gap, rcond=None)[0]
            points = Rotation.from_rotvec(twist[:3]).apply(points) + twist[3:]
            if np.abs(twist).max() < 1e-5:
                break
        return points
