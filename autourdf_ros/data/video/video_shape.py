"""A rigid body whose shape is known before it is seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.triangle_mesh import SurfaceMesh


@dataclass(frozen=True)
class SeenSides:
    """The sides of a body that a camera saw.

    Attributes:
        points: (N, 3) on them, in the body's frame (m).
        normals: (N, 3) outward, unit.
        width: Of what a point stands for: a pixel's width where the body is (m).
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    width: float

    def moved(self, shift: NDArray[np.float64]) -> SeenSides:
        """Return the sides moved by (3,) (m)."""
        return replace(self, points=self.points + shift)


@dataclass(frozen=True)
class VideoShape:
    """A rigid body of a video.

    Attributes:
        name: Of the body.
        mesh: Its surface in its own frame (m), closed, normals outward.
        first_pose: (4, 4) rough pose in the world at the first frame, or None: not given.
        color: (3,) RGB of 0 to 255, or None: not known.
        seen: What of the body was seen, if the rest of the mesh is too much of a guess to be
            looked for; None: the mesh holds.
    """

    name: str
    mesh: SurfaceMesh
    first_pose: NDArray[np.float64] | None = None
    color: tuple[float, float, float] | None = None
    seen: SeenSides | None = None
