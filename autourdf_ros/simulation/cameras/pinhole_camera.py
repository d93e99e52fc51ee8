"""Pinhole depth cameras: intrinsics, poses and placement around a robot.

Optical frames: z forward, x right, y down (REP 103).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.posed_camera import look_at
from autourdf_ros.geometry.triangle_mesh import outer_points

_BORDER = 0.05  # share of the image that stays free around the points that a camera must see


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole model without distortion.

    Attributes:
        width: pixels.
        height: pixels.
        focal: focal length, pixels.
    """

    width: int
    height: int
    focal: float

    @classmethod
    def from_field_of_view(cls, width: int, height: int, degrees: float) -> Intrinsics:
        """Return the camera whose shorter image side spans `degrees`."""
        return cls(width, height, min(width, height) / 2 / np.tan(np.radians(degrees) / 2))

    @property
    def center(self) -> tuple[float, float]:
        """Principal point (column, row) in pixels: the middle of the image."""
        return (self.width - 1) / 2, (self.height - 1) / 2

    @cached_property
    def directions(self) -> NDArray[np.float32]:
        """Viewing rays (height, width, 3) in the optical frame with z = 1."""
        columns, rows = np.meshgrid(np.arange(self.width), np.arange(self.height))
        x = (columns - self.center[0]) / self.focal
        y = (rows - self.center[1]) / self.focal
        return np.stack([x, y, np.ones_like(x)], axis=-1).astype(np.float32)

    def deproject(self, depth: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return points (height, width, 3) in the optical frame from depths along z (m).

        NaN stays NaN.
        """
        return (self.directions * depth[..., None]).astype(np.float32)


@dataclass(frozen=True)
class Camera:
    """A camera: intrinsics, and `pose` (4, 4) of its optical frame in the fixed frame."""

    intrinsics: Intrinsics
    pose: NDArray[np.float64]

    def perturbed(self, shift: NDArray[np.float64], turn: NDArray[np.float64]) -> Camera:
        """Return the camera moved in its own frame by (3,) metres and a (3,) rotation vector."""
        error = np.eye(4)
        error[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
        error[:3, 3] = shift
        return Camera(self.intrinsics, self.pose @ error)


def cameras_around(
    points: NDArray[np.float64],
    count: int,
    intrinsics: Intrinsics,
    elevations: tuple[float, float],
    azimuths: tuple[float, float] = (0.0, 360.0),
) -> list[Camera]:
    """Place cameras evenly around points, each as near as it sees all of them.

    The directions from the middle of the points are Hammersley points on a zone of a sphere, so
    that any number of cameras covers it evenly.

    Args:
        points: (N, 3), metres.
        elevations: lowest and highest of the zone, degrees.
        azimuths: least and greatest of the zone, degrees from x to y.
    """
    points = outer_points(points)  # what is inside is seen where these are
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    low, high = np.sin(np.radians(elevations))
    fractions = (_van_der_corput(count) + 0.5 / count) % 1.0
    cameras = []
    for index, fraction in enumerate(fractions):
        share, sine = (index + 0.5) / count, low + (high - low) * fraction
        azimuth = np.radians(azimuths[0] + share * (azimuths[1] - azimuths[0]))
        across = np.sqrt(1 - sine**2)
        direction = np.array([across * np.cos(azimuth), across * np.sin(azimuth), sine])
        rotation = look_at(center + direction, center)[:3, :3]
        distance = _seeing_distance((points - center) @ rotation, intrinsics)
        cameras.append(Camera(intrinsics, look_at(center + distance * direction, center)))
    return cameras


def _seeing_distance(points: NDArray[np.float64], intrinsics: Intrinsics) -> float:
    """Return the least distance (m) from the origin at which a camera sees (N, 3) points.

    points: in the camera's axes, relative to its target.
    """
    half = (1 - _BORDER) * np.array([intrinsics.width, intrinsics.height]) / 2 / intrinsics.focal
    return float((np.abs(points[:, :2]) / half - points[:, 2:]).max())


def _van_der_corput(count: int) -> NDArray[np.float64]:
    """Return the first numbers of the base-2 sequence: evenly spread in [0, 1) at any length."""
    return np.array([int(f"{i:b}"[::-1], 2) / 2 ** max(1, i.bit_length()) for i in range(count)])
