"""One depth image and one body at a pose, as the compiled kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array


class Lens(NamedTuple):
    """Focal lengths and principal point (pixels)."""

    fx: float
    fy: float
    cx: float
    cy: float


class Errors(NamedTuple):
    """Standard deviations of a depth image.

    Attributes:
        axial: Of a depth z along the optical axis, in z^2 (1/m): that of a stereo camera.
        lateral: Of a pixel's direction, in pixels.
        edge: Of an outline that lies anywhere between two pixels, in pixels.
        step: Difference of neighbouring depths, in axial deviations, from which it is an outline.
    """

    axial: float
    lateral: float
    edge: float
    step: float


class BodyGrid(NamedTuple):
    """A body at a pose.

    Attributes:
        values: Of its `DistanceGrid`.
        origin: (3,) of it.
        cell: Of it.
        pose: (4, 4) of the body's frame in the camera's.
        centre: (3,) of its twists, in the camera's frame.
    """

    values: NDArray[np.float32]
    origin: Array
    cell: float
    pose: Array
    centre: Array


class Image(NamedTuple):
    """One depth image.

    Attributes:
        depth: (H, W) float32 along the optical axis (m), NaN where unknown.
        labels: (H, W) int16 numbers of the bodies that pixels show, NOBODY or DOUBTFUL.
        lens: Of the camera.
        errors: Of the depths.
    """

    depth: NDArray[np.float32]
    labels: NDArray[np.int16]
    lens: Lens
    errors: Errors
