"""Prepare a recording for the engine: centred, scaled to unit size, with normals and grids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.data.cleaning import voxel_downsample, voxel_size_for
from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.estimation.motion.registration.camera_alignment import (
    LEAST_MATCHES,
    CameraAlignment,
    align_cameras,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import (
    Cloud,
    prepare_cloud,
    prepare_measured_cloud,
    prepare_seen_cloud,
)
from autourdf_ros.geometry.range_image import seen_from
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.parallel import Tally, on_all_cores

ALIGNED_FRAMES = 10  # that the cameras are aligned by, of as many sequences as hold so many
CAMERA_NOISE = 0.002  # robot sizes
OUTER = 0.005  # share of the points at either end of each axis that do not count for the size


@dataclass(frozen=True)
class Prepared:
    """Clouds of all frames in the engine's units: (points - centre) / scale.

    Attributes:
        sequences: clouds by sequence; the very first is the reference.
        colors: by sequence and frame, None where a frame has none.
        readings: by sequence and frame, None where the recording has none.
        centre: (3,) m.
        scale: m, the robot's size.
        cameras: how every camera's points were moved, None where it is not known which camera
            saw what.
        aligned_by: number of frames that show how (`aligning_count`); 0 where none do.
    """

    sequences: tuple[tuple[Cloud, ...], ...]
    colors: tuple[tuple[NDArray[np.uint8] | None, ...], ...]
    readings: tuple[tuple[Mapping[str, float] | None, ...], ...]
    centre: Array
    scale: float
    cameras: CameraAlignment | None
    aligned_by: int = 0

    @property
    def camera_corrections(self) -> Array | None:
        """(C, 4, 4) by which every camera's points were moved, or None."""
        return None if self.cameras is None else self.cameras.corrections

    @property
    def reference(self) -> Cloud:
        """Cloud of the first frame."""
        return self.sequences[0][0]

    @property
    def clouds(self) -> list[Cloud]:
        """Clouds of all frames, in order."""
        return [cloud for sequence in self.sequences for cloud in sequence]

    @property
    def spacing(self) -> float:
        """Typical distance between neighbouring points of a frame."""
        return float(np.median([cloud.spacing for cloud in self.clouds]))


def prepare(
    recording: Recording,
    points: int,
    *,
    report: Callable[[float], None],
    before: Prepared | None = None,
) -> Prepared:
    """Prepare all frames of a recording.

    Where the recording has the camera of each point, the cameras are aligned first.

    Args:
        recording: the frames.
        points: number of points to which a frame is thinned that has more.
        report: is called with the share done.
        before: the same recording, prepared when its sequences had fewer frames; these are taken
            from it, except where more frames align the cameras otherwise.
    """
    aligned_by = aligning_count(recording) if _has_cameras(recording) else 0
    if before is not None and before.aligned_by == aligned_by:
        known = before
    else:
        known = _without_frames(recording, points, aligned_by, report)
    tally = Tally(len(recording.frames), lambda share: report((1 + share) / 2))

    def prepared(frame: Frame) -> tuple[Cloud, NDArray[np.uint8] | None]:
        result = _prepare_frame(frame, points, known)
        tally.add()
        return result

    clouds: list[tuple[Cloud, ...]] = []
    colors: list[tuple[NDArray[np.uint8] | None, ...]] = []
    for number, sequence in enumerate(recording.sequences):
        begun = number < len(known.sequences)
        old_clouds = known.sequences[number] if begun else ()
        old_colors = known.colors[number] if begun else ()
        for _ in old_clouds:
            tally.add()
        members = on_all_cores(prepared, sequence.frames[len(old_clouds) :])
        clouds.append((*old_clouds, *(cloud for cloud, _ in members)))
        colors.append((*old_colors, *(color for _, color in members)))
    readings = tuple(
        tuple(frame.joint_positions for frame in sequence.frames)
        for sequence in recording.sequences
    )
    return replace(known, sequences=tuple(clouds), colors=tuple(colors), readings=readings)


def _without_frames(
    recording: Recording, points: int, aligned_by: int, report: Callable[[float], None]
) -> Prepared:
    """The units of a recording, with its cameras aligned, if there are any to align."""
    first = recording.sequences[0].frames[0].points.astype(np.float64)
    low, high = np.quantile(first, [OUTER, 1 - OUTER], axis=0)
    centre, scale = (low + high) / 2, float(np.linalg.norm(high - low))
    cameras = _aligned(recording, points, centre, scale, report) if aligned_by else None
    return Prepared((), (), (), centre, scale, cameras, aligned_by)


def extended(prepared: Prepared, frame: Frame, number: int, points: int) -> Prepared:
    """Return the prepared recording with one more frame.

    Args:
        prepared: the recording until now; cameras are corrected as there.
        frame: the frame.
        number: of its sequence, the last there is or a new one after it.
        points: as for `prepare`.
    """
    cloud, color = _prepare_frame(frame, points, prepared)
    new = number == len(prepared.sequences)

    def longer(members: tuple[tuple[Any, ...], ...], member: object) -> tuple[tuple[Any, ...], ...]:
        return (*members, (member,)) if new else (*members[:-1], (*members[-1], member))

    return replace(
        prepared,
        sequences=longer(prepared.sequences, cloud),
        colors=longer(prepared.colors, color),
        readings=longer(prepared.readings, frame.joint_positions),
    )


def _prepare_frame(
    frame: Frame, points: int, units: Prepared
) -> tuple[Cloud, NDArray[np.uint8] | None]:
    """Cloud and colours of a frame, thinned to `points`, in the units that others are in."""
    centre, scale, corrections = units.centre, units.scale, units.camera_corrections
    local = (frame.points - centre) / scale
    if corrections is None or frame.cameras is None:
        thinned, color = thin(local, frame.colors, points)
        return prepare_cloud(thinned), color
    local = transform(corrections[frame.cameras], local)
    chosen = spread_points(local, points)
    color = None if frame.colors is None else frame.colors[chosen]
    eyes = _eyes(frame, local, corrections, centre, scale)
    return prepare_measured_cloud(local, chosen, frame.cameras, eyes), color


def _eyes(
    frame: Frame, points: Array, corrections: Array, centre: Array, scale: float
) -> Array | None:
    """Where the cameras (C, 3) of a frame are, in engine units; None where that is not known.

    points: (N, 3) of the frame, in engine units, corrected.
    """
    if frame.camera_poses is None or frame.cameras is None:
        return None
    places = (frame.camera_poses[: len(corrections), :3, 3] - centre) / scale
    eyes = transform(corrections[: len(places)], places)
    known = all(seen_from(eyes[c], points[frame.cameras == c]) for c in np.unique(frame.cameras))
    return eyes if known else None


def _aligned(
    recording: Recording,
    points: int,
    centre: Array,
    scale: float,
    report: Callable[[float], None],
) -> CameraAlignment:
    """How the cameras, two or more, fit together, in engine units."""
    count = 1 + max(_cameras_in(recording.frames))
    frames = _aligning_frames(recording)
    tally = Tally(len(frames), lambda share: report(share / 2))

    def seen(frame: Frame) -> tuple[list[Cloud | None], bool]:
        local = (frame.points - centre) / scale
        eyes = _eyes(frame, local, np.tile(np.eye(4), (count, 1, 1)), centre, scale)
        views = [
            _view(local[frame.cameras == c], points // count, None if eyes is None else eyes[c])
            for c in range(count)
        ]
        tally.add()
        return views, eyes is not None

    views, oriented = zip(*on_all_cores(seen, frames), strict=True)
    return align_cameras(views, CAMERA_NOISE, oriented=all(oriented))


def _has_cameras(recording: Recording) -> bool:
    """Whether it is known which of two or more cameras saw what."""
    known = all(frame.cameras is not None for frame in recording.frames)
    return known and max(_cameras_in(recording.frames)) > 0


def _aligning_frames(recording: Recording) -> list[Frame]:
    """The frames that the cameras are aligned by, spread over `aligning_count` of them."""
    count = aligning_count(recording)
    chosen = np.unique(np.linspace(0, count - 1, ALIGNED_FRAMES).astype(int))
    return [recording.frames[i] for i in chosen]


def aligning_count(recording: Recording) -> int:
    """Return how many frames the first sequences have that the cameras are aligned by.

    These sequences hold enough frames, and points of every camera, where there are so many: what
    comes later changes nothing, so that frames can be prepared while a recording is being made.
    """
    frames: list[Frame] = []
    for sequence in recording.sequences:
        frames += sequence.frames
        if len(frames) >= ALIGNED_FRAMES and _cameras_in(frames) == _cameras_in(recording.frames):
            break
    return len(frames)


def _cameras_in(frames: Sequence[Frame]) -> set[int]:
    """Numbers of the cameras that some points of these frames come from."""
    known = [np.unique(frame.cameras) for frame in frames if frame.cameras is not None]
    return {int(one) for cameras in known for one in cameras}


def _view(points: Array, count: int, eye: Array | None) -> Cloud | None:
    """Cloud of what one camera saw, None where that is too little to be aligned by."""
    if len(points) < LEAST_MATCHES:
        return None
    return prepare_seen_cloud(points, spread_points(points, count), eye)


def spread_points(points: Array, count: int) -> NDArray[np.int64]:
    """Return indices of at most `count` evenly spread points, nearest to the means of cubes."""
    means, _ = voxel_downsample(points, None, voxel_size_for(points, count))
    return np.unique(cKDTree(points).query(means)[1])


def thin(
    points: Array, colors: NDArray[np.uint8] | None, count: int
) -> tuple[Array, NDArray[np.uint8] | None]:
    """Return at most `count` evenly spread points and their colours: means of small cubes.

    A point that occurs several times counts once: the spacing would be 0, and nothing near.

    Args:
        points: (N, 3).
        colors: (N, 3) RGB, or None.
        count: how many.
    """
    thinned, shades = voxel_downsample(points, colors, voxel_size_for(points, count))
    _, first = np.unique(thinned, axis=0, return_index=True)
    if len(first) < len(thinned):
        first.sort()
        thinned, shades = thinned[first], None if shades is None else shades[first]
    return np.asarray(thinned, dtype=np.float64), shades
