"""Samples spread evenly over the surface of a part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import Part
from autourdf_ros.estimation.parts.contact.corner_normals import CornerNormals
from autourdf_ros.geometry.sampling import farthest_point_indices

POOL = 4
"""Random samples from which one is chosen, so that the chosen are spread evenly."""


@dataclass(frozen=True)
class PartSamples:
    """Samples of a surface.

    Attributes:
        points: (N, 3) spread evenly over the surface (m).
        normals: (N, 3) unit, smooth over edges that are no creases; of no reliable sign.
        area: That one sample stands for (m²).
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    area: float

    @property
    def rms(self) -> float:
        """Root mean square distance from the middle (m)."""
        return float(np.sqrt(((self.points - self.points.mean(0)) ** 2).sum(1).mean()))

    def taken(self, chosen: NDArray[np.generic]) -> PartSamples:
        """Return the chosen samples."""
        return PartSamples(self.points[chosen], self.normals[chosen], self.area)


class PartSurface:
    """A part's triangles, from which points are drawn."""

    def __init__(self, part: Part, crease: float) -> None:
        """crease: angle (degrees) between triangles above which an edge is sharp."""
        corners = part.vertices[part.triangles]
        crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        doubled = np.linalg.norm(crossed, axis=1)
        whole = doubled > (1e-9 * max(part.diagonal, 1e-300)) ** 2
        self._triangles = part.triangles[whole]
        self._corners = corners[whole]
        self.areas = doubled[whole] / 2
        self._faces = crossed[whole] / doubled[whole, None]
        self._vertices, self._crease = part.vertices, crease

    @cached_property
    def _normals(self) -> CornerNormals:
        return CornerNormals(self._vertices, self._triangles, self._faces, self._crease)

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """(T, 2, 3) lower and upper corner of every triangle (m)."""
        return np.stack([self._corners.min(axis=1), self._corners.max(axis=1)], axis=1)

    def draw(
        self, count: int, generator: np.random.Generator, among: NDArray[np.int64] | None = None
    ) -> PartSamples:
        """Draw points by area, stratified over the triangles.

        Args:
            count: Of points.
            generator: Of random numbers.
            among: Indices of the triangles that points are drawn from; None for all.
        """
        chosen = np.arange(len(self.areas)) if among is None else among
        sums = np.cumsum(self.areas[chosen])
        steps = (np.arange(count) + generator.random(count)) * (sums[-1] / count)
        last = len(chosen) - 1
        triangles = chosen[np.minimum(np.searchsorted(sums, steps, side="right"), last)]
        weights = _barycentric(generator.random((count, 2)))
        points = np.einsum("nk,nki->ni", weights, self._corners[triangles])
        normals = self._normals.at(triangles, weights)
        return PartSamples(points, normals, float(sums[-1] / count))


def _barycentric(uniform: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights (N, 3) of corners, uniform over a triangle (Osada et al., 2002)."""
    root = np.sqrt(uniform[:, 0])
    return np.stack([1 - root, root * (1 - uniform[:, 1]), root * uniform[:, 1]], axis=1)


def sample_surface(surface: PartSurface, count: int, seed: int) -> PartSamples:
    """Spread samples evenly: the farthest from each other among more random ones."""
    drawn = surface.draw(POOL * count, np.random.default_rng(seed))
    chosen = farthest_point_indices(drawn.points, count)
    return PartSamples(drawn.points[chosen], drawn.normals[chosen], drawn.area * POOL)
