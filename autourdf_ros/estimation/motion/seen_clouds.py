"""What one camera that stands still saw, as the engine's clouds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.motion.registration.preparation import spread_points
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, prepare_measured_cloud, size_of
from autourdf_ros.geometry.range_image import range_image

LEAST_CLOUD = 50
"""Points of a frame that is used."""


@dataclass(frozen=True)
class SeenClouds:
    """What one camera that stands still saw in F frames, in the order of time.

    Attributes:
        points: For each (N, 3) points of what may be parts (m).
        scenes: For each (M, 3) points of all that was seen, and may hide parts (m).
        reference: The frame that the parts are found in.
        eye: (3,) place of the camera (m).
    """

    points: Sequence[Array]
    scenes: Sequence[Array]
    reference: int
    eye: Array

    @property
    def units(self) -> tuple[Array, float]:
        """Centre (3,) (m) and size (m) of the reference: the engine's units."""
        first = self.points[self.reference]
        return first.mean(axis=0), size_of(first)

    def cloud(self, number: int, most: int | None) -> Cloud | None:
        """Return a frame's cloud, of at most about `most` points if given; None of too few."""
        if len(self.points[number]) < LEAST_CLOUD:
            return None
        centre, scale = self.units
        points, scene = ((own[number] - centre) / scale for own in (self.points, self.scenes))
        eye = (self.eye - centre) / scale
        cameras = np.zeros(len(points), np.uint8)
        chosen = np.arange(len(points)) if most is None else spread_points(points, most)
        cloud = prepare_measured_cloud(points, chosen, cameras, eye[None])
        image = range_image(eye, scene)
        return cloud if image is None else replace(cloud, views=(image,))
