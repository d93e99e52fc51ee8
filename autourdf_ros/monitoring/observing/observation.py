"""A cloud of one camera with the motors' readings at its stamp."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError


@dataclass(frozen=True, eq=False)
class Observation:
    """One cloud of one camera.

    Attributes:
        camera: Name.
        stamp: Seconds.
        points: (N, 3) float32 in the camera's frame (m); points that are not finite are ignored.
        camera_pose: (4, 4) of the camera in the base frame, by its calibration.
        readings: Of the motors at the stamp, by name (rad or m).
        velocities: Likewise (rad/s or m/s), where known.
    """

    camera: str
    stamp: float
    points: NDArray[np.float32]
    camera_pose: NDArray[np.float64]
    readings: Mapping[str, float]
    velocities: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise InputError for arrays of other shapes, or for a pose that is not rigid."""
        who = f"camera {self.camera!r} at {self.stamp:.3f} s"
        if self.points.ndim != 2 or self.points.shape[1] != 3:
            raise InputError(f"{who}: points have shape {self.points.shape}; accepted: (N, 3)")
        pose = self.camera_pose
        if pose.shape != (4, 4) or not np.allclose(
            pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-3
        ):
            raise InputError(f"{who}: its pose is not a rigid (4, 4) matrix: {pose.tolist()}")
