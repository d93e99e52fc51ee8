"""A mechanism that was found in a video: its model, and what it did in every frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_shape import VideoShape
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.model.layers.layer import Trust
from autourdf_ros.model.self_model import SelfModel

LEAST_SEEN = 0.5
"""Share of the frames in which every body must be seen, or the mechanism counts as failed."""


@dataclass(frozen=True)
class VideoMechanism:
    """What a video shows of a mechanism.

    Attributes:
        video: What was seen.
        shapes: B bodies, in the order of the track.
        track: Where they were.
        model: Links with the bodies' names, and those that joints of several coordinates need
            between them; the base frame is the world.
        joint_values: (T, J) in the model's order (rad or m), NaN where not known.
        joint_stds: (T, J) standard deviations of these.
        reference_poses: (B, 4, 4) of the bodies' frames at the reference configuration.
        reference_frame: Number of the frame that the reference configuration is of.
        warnings: Sentences for the user, each a reason for doubt.
        notes: Sentences for the user that are no doubt.
        options: Of the user.
        timings: Seconds of every stage.
    """

    video: CameraVideo
    shapes: tuple[VideoShape, ...]
    track: PoseTrack
    model: SelfModel
    joint_values: NDArray[np.float64]
    joint_stds: NDArray[np.float64]
    reference_poses: NDArray[np.float64]
    reference_frame: int = 0
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)

    @property
    def known(self) -> NDArray[np.bool_]:
        """(T,) frames in which every joint value is known."""
        return np.asarray(np.isfinite(self.joint_values).all(axis=1))

    @property
    def verdict(self) -> Trust:
        """Sums the warnings up; failed where a body is seen too rarely."""
        if (self.track.seen.mean(axis=1) < LEAST_SEEN).any():
            return "failed"
        return "doubtful" if self.warnings else "trusted"
