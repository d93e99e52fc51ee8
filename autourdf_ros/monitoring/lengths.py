"""Lengths in which a robot is watched, all of them shares of the thickness of its own links.

Of two robots of one shape and different size, seen by cameras that each fill their view with them,
the pixels on a link are as many. With these lengths everything that is computed of the two is the
same, but for the noise, which is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import trimesh

_MOST, _LEAST = 0.1, 0.01  # m: thickness of links beyond which lengths do not grow or shrink
_OUTLYING = 2.0  # per cent of a surface's corners at each end that do not count


@dataclass(frozen=True)
class Lengths:
    """Lengths by which clouds are compared with a robot.

    What happens to links thicker than 10 cm is no larger than to those, so that their lengths are
    the same.

    Attributes:
        thickness: Of the robot's links (m), as `link_thickness` measures it, within bounds.
    """

    thickness: float = _MOST

    @classmethod
    def of(cls, meshes: Sequence[trimesh.Trimesh | None]) -> Lengths:
        """Return the lengths of a robot of these surfaces (m)."""
        return cls(float(np.clip(link_thickness(meshes), _LEAST, _MOST)))

    @property
    def gate(self) -> float:
        """Distance (m) from which no link explains a point."""
        return 0.45 * self.thickness

    @property
    def near(self) -> float:
        """Distance (m) up to which points are averaged in fine voxels."""
        return 0.5 * self.thickness

    @property
    def far(self) -> float:
        """Distance (m) up to which points are averaged in coarse voxels; others are dropped."""
        return 2.5 * self.thickness

    @property
    def fine(self) -> float:
        """Side (m) of a fine voxel."""
        return 0.07 * self.thickness

    @property
    def coarse(self) -> float:
        """Side (m) of a coarse voxel."""
        return 0.2 * self.thickness

    @property
    def segment(self) -> float:
        """Length (m) of a segment, about."""
        return 0.4 * self.thickness

    @property
    def surface_cell(self) -> float:
        """Side (m) of a cell of the surface that has an error of its own."""
        return 0.2 * self.thickness

    @property
    def object_cell(self) -> float:
        """Side (m) of a cell of space that an object fills."""
        return 0.25 * self.thickness

    @property
    def hidden(self) -> float:
        """Distance (m), at least, of a hidden surface behind another."""
        return 0.05 * self.thickness

    @property
    def seen(self) -> float:
        """Distance (m) from a measured depth up to which a surface is seen there."""
        return 0.3 * self.thickness

    @property
    def small(self) -> float:
        """Displacement (m) below which every point is matched with its own surface."""
        return 0.05 * self.thickness


def link_thickness(meshes: Sequence[trimesh.Trimesh | None]) -> float:
    """Return the thickness (m) of the links of a robot: the median over their surfaces.

    Of a surface it is the extent along the second of its principal axes.
    """
    found = []
    for mesh in meshes:
        if mesh is not None and len(mesh.faces):
            corners = np.asarray(mesh.vertices, float)
            corners = corners - corners.mean(axis=0)
            axes = np.linalg.eigh(corners.T @ corners)[1]
            low, high = np.percentile(corners @ axes, [_OUTLYING, 100 - _OUTLYING], axis=0)
            found.append(float(np.sort(high - low)[1]))
    return float(np.median(found)) if found else _MOST
