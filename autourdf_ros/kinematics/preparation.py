"""A recording made ready for the engine: centred, scaled to unit size, with normals and trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.kinematics.cloud import Cloud, prepare_cloud
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.recording.cleaning import farthest_point_indices, voxel_downsample, voxel_size_for
from autourdf_ros.recording.frame import Frame, Recording

OUTER = 0.005  # share of the points at either end of each axis that do not count for the size


@dataclass(frozen=True)
class Prepared:
    """Clouds of all frames in the engine's units: (points - centre) / scale.

    sequences: clouds by sequence; the very first is the reference. colors: by sequence and
    frame, None where a frame has none. readings: by sequence and frame, None where the recording
    has none.
    """

    sequences: tuple[tuple[Cloud, ...], ...]
    colors: tuple[tuple[NDArray[np.uint8] | None, ...], ...]
    readings: tuple[tuple[Mapping[str, float] | None, ...], ...]
    centre: Array
    scale: float

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


def prepare(recording: Recording, points: int, *, report: Callable[[float], None]) -> Prepared:
    """Prepare all frames, thinned to `points` each where they have more."""
    first = recording.sequences[0].frames[0].points.astype(np.float64)
    low, high = np.quantile(first, [OUTER, 1 - OUTER], axis=0)
    centre, scale = (low + high) / 2, float(np.linalg.norm(high - low))
    total, done = len(recording.frames), 0
    clouds, colors = [], []
    for sequence in recording.sequences:
        clouds.append([])
        colors.append([])
        for frame in sequence.frames:
            thinned, color = thin(frame, points)
            clouds[-1].append(prepare_cloud((thinned - centre) / scale))
            colors[-1].append(color)
            done += 1
            report(done / total)
    return Prepared(
        tuple(map(tuple, clouds)),
        tuple(map(tuple, colors)),
        tuple(
            tuple(frame.joint_positions for frame in sequence.frames)
            for sequence in recording.sequences
        ),
        centre,
        scale,
    )


def thin(frame: Frame, count: int) -> tuple[Array, NDArray[np.uint8] | None]:
    """At most `count` points of a frame, evenly spread, and their colours."""
    points, colors = frame.points, frame.colors
    if len(points) > 2 * count:
        points, colors = voxel_downsample(points, colors, voxel_size_for(points, 2 * count))
    if len(points) > count:
        chosen = farthest_point_indices(points, count)
        points, colors = points[chosen], None if colors is None else colors[chosen]
    return points.astype(np.float64), colors
