"""Turns one cloud of every camera into a frame on disk."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.point_cloud2 import measured_mask, points_from_cloud
from autourdf_ros.data.cleaning import CleaningOptions, View, clean
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.frame_checks import (
    CoverageCheck,
    FaceCheck,
    FrameChecks,
    check_stamps,
    seen_surface,
)
from autourdf_ros.data.recording.recorded_images import (
    IMAGES,
    ImageSetWriter,
    SerializedImage,
    read_image,
)
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.data.unit_check import check_metres
from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class SerializedView:
    """One cloud of every camera, taken while the robot stood still.

    Attributes:
        cameras: topics of the cameras.
        clouds: sensor_msgs/PointCloud2 of each, in CDR.
        transforms: (4, 4) of each from its frame to the fixed frame.
        stamps: of each, seconds.
        images: of colour cameras, at the same standstill.
    """

    cameras: tuple[str, ...]
    clouds: tuple[bytes, ...]
    transforms: tuple[NDArray[np.float64], ...]
    stamps: tuple[float, ...]
    images: tuple[SerializedImage, ...] = ()

    @property
    def stamp(self) -> float:
        """Stamp of the newest cloud or image, seconds."""
        return max(*self.stamps, *(image.stamp for image in self.images), -math.inf)


@dataclass(frozen=True)
class FrameOptions:
    """Options for turning views into frames.

    Attributes:
        cleaning: of the clouds.
        checks: thresholds that a frame must meet.
        cloud_scale: metres in a unit of every camera's clouds; one number holds for all cameras.
    """

    cleaning: CleaningOptions
    checks: FrameChecks = field(default_factory=FrameChecks)
    cloud_scale: tuple[float, ...] = (1.0,)


@dataclass(frozen=True)
class FrameOutcome:
    """Result of recording a view: a frame on disk, or a rejection.

    Attributes:
        rejection: why there is no frame, or None.
        cut: where the robot is cut off in the frame; empty: nowhere.
        unmeasured: number of points without depth of each camera.
        clean_s: seconds that cleaning took.
        write_s: seconds that writing took.
    """

    rejection: Rejection | None
    cut: str = ""
    unmeasured: tuple[int, ...] = ()
    clean_s: float = 0.0
    write_s: float = 0.0


class FrameRecorder:
    """Cleans the clouds of views, checks them, and writes them as frames.

    Raises:
        InputError: the folder is not empty, or with `resume` holds no recording of this setup.
    """

    def __init__(
        self, folder: Path, setup: Setup, options: FrameOptions, resume: bool = False
    ) -> None:
        self._writer = RecordingWriter(folder, setup.fixed_frame, setup if resume else None)
        self.sequences = self._writer.sequences
        details = {"cameras": list(setup.cameras), "joints": list(setup.joints)}
        self._writer.event(topics.RECORDING_STARTED, **details)
        self._options = options
        self._images = ImageSetWriter(folder / IMAGES)
        self._coverage = CoverageCheck(options.checks.min_coverage)
        self._faces = FaceCheck(options.cleaning.box)

    def start_sequence(self, name: str) -> None:
        """Begin a sequence."""
        self._writer.start_sequence(name)

    def record_view(self, view: SerializedView, joints: Mapping[str, float]) -> FrameOutcome:
        """Clean a view, check it, and write it as a frame where it passes.

        Args:
            joints: positions by name (rad or m); may be empty.

        Raises:
            InputError: names the camera whose cloud or image cannot be used at all.
        """
        rejection = check_stamps(view.cameras, view.stamps, self._options.checks.sync_slop)
        if rejection is not None:
            return FrameOutcome(rejection)
        began = time.monotonic()
        clouds, unmeasured = [], []
        for number in range(len(view.cameras)):
            cloud, missing = _in_fixed_frame(view, number, self._options.cloud_scale)
            clouds.append(cloud)
            unmeasured.append(missing)
        points, colors, cameras = clean(clouds, self._options.cleaning)
        surface = seen_surface(points, cameras, len(clouds))
        rejection = self._too_few(len(points), clouds, view)
        rejection = rejection or self._coverage.reject(view.cameras, surface)
        images = [read_image(image, joints) for image in view.images] if not rejection else []
        cut = self._faces.cut(points) if not rejection else ""
        cleaned = time.monotonic()
        if rejection is None:
            if cut:
                self._writer.event("frame_cut", where=cut)
            poses = np.stack(view.transforms)
            readings = dict(joints) or None
            self._writer.write_frame(Frame(points, colors, view.stamp, readings, cameras, poses))
            self._images.add(images)
            self._coverage.take(surface)
        written = time.monotonic()
        return FrameOutcome(rejection, cut, tuple(unmeasured), cleaned - began, written - cleaned)

    def event(self, event: str, details: Mapping[str, Any]) -> None:
        """Add an event, written with the next frame. details: JSON values."""
        self._writer.event(event, **details)

    def close(self) -> None:
        """End the recording."""
        self._writer.close()

    def _too_few(self, count: int, clouds: list[View], view: SerializedView) -> Rejection | None:
        least = self._options.checks.min_points
        if count >= least:
            return None
        if not any(len(points) for points, _ in clouds):
            return Rejection(
                "points",
                f"no point of {', '.join(view.cameras)} has depth; accepted is at least {least}: "
                "check whether the camera is covered, or too near",
            )
        seen = ", ".join(
            f"{len(points)} of {camera}"
            for (points, _), camera in zip(clouds, view.cameras, strict=True)
        )
        return Rejection(
            "points",
            f"{count} of {sum(len(points) for points, _ in clouds)} points ({seen}) are left after "
            f"cropping to the box and removing the ground; accepted is at least {least}: check "
            "box_lower, box_upper, ground_height and the cameras' transforms",
        )


def _in_fixed_frame(
    view: SerializedView, number: int, cloud_scale: Sequence[float]
) -> tuple[View, int]:
    """Return the measured points (m) and colours of one camera, and the number without depth."""
    try:
        message = topics.deserialize(view.clouds[number], topics.CLOUD.type)
    except ValueError as error:
        raise InputError(f"{view.cameras[number]}: {error}") from error
    try:
        points, colors = points_from_cloud(message)
    except InputError as error:
        raise InputError(f"{view.cameras[number]}: {error}") from error
    measured = measured_mask(points)
    points, colors = points[measured], None if colors is None else colors[measured]
    points = points * cloud_scale[number % len(cloud_scale)]
    check_metres(points, view.cameras[number])
    transform = view.transforms[number]
    placed = points @ transform[:3, :3].T + transform[:3, 3]
    return (placed, colors), int(len(measured) - len(points))
