"""Images of a robot in memory, each with its camera and the joints' positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera


@dataclass(frozen=True)
class RobotImage:
    """One image.

    Attributes:
        camera: That took it.
        color: (H, W, 3) uint8 RGB.
        joint_positions: By joint name, rad or m.
        mask: (H, W) uint8 share of a pixel that shows the robot, of 255; or None.
        depth: (H, W) float32 along the optical axis (m), NaN where none; or None.
    """

    camera: PinholeCamera
    color: NDArray[np.uint8]
    joint_positions: Mapping[str, float]
    mask: NDArray[np.uint8] | None = None
    depth: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class RobotImages:
    """All images.

    Attributes:
        images: At least one; all name the same joints.
        source: Folder or bag that they were read from, or None.
        notes: Sentences about the cameras, which results repeat.
    """

    images: tuple[RobotImage, ...]
    source: Path | None = None
    notes: tuple[str, ...] = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, sorted."""
        return tuple(sorted(self.images[0].joint_positions))

    def readings(self) -> NDArray[np.float64]:
        """Return the joints' positions (F, J) in the order of `joints`."""
        return np.array(
            [[image.joint_positions[name] for name in self.joints] for image in self.images]
        )
