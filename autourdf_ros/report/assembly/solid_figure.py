"""Parts as shaded solids, behind the axes of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import trimesh
from matplotlib.axes import Axes
from numpy.typing import NDArray

from autourdf_ros.report.figures.mesh_figure import draw_solid

_FADED = 0.45
"""Share of white in the colours, so that axes stand out."""


@dataclass(frozen=True, eq=False)
class Solids:
    """Shaded triangles of links, in the base frame.

    Attributes:
        triangles: (T, 3, 3) corners (m).
        normals: (T, 3) unit.
        labels: (T,) index of each triangle's link.
    """

    triangles: NDArray[np.float64]
    normals: NDArray[np.float64]
    labels: NDArray[np.int64]

    @classmethod
    def of(cls, meshes: Sequence[trimesh.Trimesh]) -> Self:
        """Return the triangles of the links' meshes."""
        return cls(
            np.concatenate([np.asarray(mesh.triangles, float) for mesh in meshes]),
            np.concatenate([np.asarray(mesh.face_normals, float) for mesh in meshes]),
            np.repeat(np.arange(len(meshes)), [len(mesh.faces) for mesh in meshes]),
        )

    @property
    def points(self) -> NDArray[np.float64]:
        """(N, 3) all corners (m)."""
        return self.triangles.reshape(-1, 3)

    def draw(self, axes: Axes, view: NDArray[np.float64], palette: NDArray[np.float64]) -> None:
        """Draw what faces the viewer, from back to front."""
        colors = _FADED + (1 - _FADED) * palette[self.labels]
        draw_solid(axes, self.triangles, self.normals, colors, view)
