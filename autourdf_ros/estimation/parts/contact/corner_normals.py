"""Normals of triangle meshes that are smooth except over creases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CELLS = 1 << 20
"""Cells of a part's box along an axis: vertices in one cell are one (of a scan or an STL file)."""


def merged_vertices(vertices: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each vertex (V,) a number that equal vertices share."""
    low = vertices.min(axis=0)
    step = max(float(np.ptp(vertices, axis=0).max()), 1e-300) / CELLS
    cells = np.rint((vertices - low) / step).astype(np.int64)
    keys = (cells[:, 0] << 42) | (cells[:, 1] << 21) | cells[:, 2]
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


class CornerNormals:
    """Normals at the corners of triangles: the mean of the triangles that meet there smoothly.

    A triangle counts by its angle at the vertex (Thürmer and Wüthrich, 1998), and only where it
    encloses less than the crease's angle with the corner's own triangle. The mean does not depend
    on the winding of the triangles.
    """

    def __init__(
        self,
        vertices: NDArray[np.float64],
        triangles: NDArray[np.int64],
        faces: NDArray[np.float64],
        crease: float,
    ) -> None:
        """faces: (T, 3) unit normals of the triangles; crease: degrees."""
        self._faces, self._least = faces, np.cos(np.radians(crease))
        self._same = merged_vertices(vertices)[triangles]
        flat = self._same.ravel()
        self._order = np.argsort(flat, kind="stable")
        self._starts = np.searchsorted(flat[self._order], np.arange(flat.max() + 2))
        self._angles = _corner_angles(vertices[triangles]).ravel()

    def at(self, triangles: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return unit normals (N, 3) at points given by their triangles and corners' weights."""
        distinct, back = np.unique(triangles, return_inverse=True)
        corners = self._of_corners(distinct)[back]
        normals = np.einsum("nk,nki->ni", weights, corners)
        return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)

    def _of_corners(self, triangles: NDArray[np.int64]) -> NDArray[np.float64]:
        """Unit normals (N, 3, 3) of the corners of triangles (N,)."""
        vertices = self._same[triangles].ravel()
        own = np.repeat(self._faces[triangles], 3, axis=0)
        counts = self._starts[vertices + 1] - self._starts[vertices]
        rows = np.repeat(np.arange(len(vertices)), counts)
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        met = self._order[self._starts[vertices][rows] + np.arange(len(rows)) - firsts]
        others = self._faces[met // 3]
        cosines = np.einsum("ni,ni->n", own[rows], others)
        smooth = np.abs(cosines) >= self._least
        counted = np.where(smooth, self._angles[met] * np.sign(cosines), 0.0)[:, None] * others
        sums = np.stack(
            [np.bincount(rows, counted[:, i], minlength=len(vertices)) for i in range(3)], axis=1
        )
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        normals = np.where(lengths > 1e-9, sums / np.maximum(lengths, 1e-12), own)
        return np.asarray(normals.reshape(-1, 3, 3))


def _corner_angles(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles (T, 3) in rad of triangles (T, 3, 3)."""
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    sines = np.linalg.norm(np.cross(ahead, behind), axis=2)
    return np.arctan2(sines, np.einsum("tki,tki->tk", ahead, behind))
