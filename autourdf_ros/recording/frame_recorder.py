"""From the clouds of all cameras to a frame on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.recording import topics
from autourdf_ros.recording.cleaning import CleaningOptions, clean
from autourdf_ros.recording.frame import Frame
from autourdf_ros.recording.point_cloud2 import points_from_cloud
from autourdf_ros.recording.validate import MIN_POINTS
from autourdf_ros.recording.writer import RecordingWriter


@dataclass(frozen=True)
class SerializedView:
    """One cloud of every camera, taken while the robot stood still.

    clouds: PointCloud2 in CDR. transforms: (4, 4) of each from its frame to the fixed frame.
    stamp: seconds, of the newest cloud.
    """

    clouds: tuple[bytes, ...]
    transforms: tuple[NDArray[np.float64], ...]
    stamp: float


class FrameRecorder:
    """Cleans the clouds of views and writes them as frames.

    Raises InputError when the folder holds something.
    """

    def __init__(self, folder: Path, fixed_frame: str, cleaning: CleaningOptions) -> None:
        self._writer = RecordingWriter(folder, fixed_frame)
        self._cleaning = cleaning

    def start_sequence(self, name: str) -> None:
        """Begin a sequence."""
        self._writer.start_sequence(name)

    def append(self, view: SerializedView, joints: Mapping[str, float]) -> None:
        """Write a frame; `joints` may be empty. Raises InputError when too few points are left."""
        clouds = []
        for data, transform in zip(view.clouds, view.transforms, strict=True):
            message = topics.typestore().deserialize_cdr(data, topics.CLOUD.type)
            points, colors = points_from_cloud(message)
            clouds.append((points @ transform[:3, :3].T + transform[:3, 3], colors))
        points, colors, cameras = clean(clouds, self._cleaning)
        if len(points) < MIN_POINTS:
            seen = sum(len(cloud) for cloud, _ in clouds)
            raise InputError(
                f"{len(points)} of {seen} points are left after cropping to the box and "
                f"removing the ground; accepted is at least {MIN_POINTS}: look at box_lower, "
                "box_upper, ground_height and the cameras' transforms"
            )
        poses = np.stack(view.transforms)
        self._writer.append(Frame(points, colors, view.stamp, dict(joints) or None, cameras, poses))

    def event(self, event: str, details: Mapping[str, Any]) -> None:
        """Note something that happened."""
        self._writer.event(event, **details)

    def close(self) -> None:
        """End the recording."""
        self._writer.close()
