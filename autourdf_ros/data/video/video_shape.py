"""A rigid body whose shape is known before it is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.triangle_mesh import SurfaceMesh


@dataclass(frozen=True)
class VideoShape:
    """A rigid body of a video.

    Attributes:
        name: Of the body.
        mesh: Its surface in its own frame (m), closed, normals outward.
        first_pose: (4, 4) rough pose in the world at the first frame, or None: not given.
        color: (3,) RGB of 0 to 255, or None: not known.
    """

    name: str
    mesh: SurfaceMesh
    first_pose: NDArray[np.float64] | None = None
    color: tuple[float, float, float] | None = None
