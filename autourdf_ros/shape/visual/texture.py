"""Colours of points baked into a texture: RViz ignores vertex colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.shape.visual.unseen_surface import dulled

_CELL = 8  # pixels a side; each cell holds a pair of triangles
_NEIGHBOURS = 4


@dataclass(frozen=True)
class Texture:
    """image: (H, W, 3) uint8. uv: (T, 3, 2) texture coordinates of every triangle's corners."""

    image: NDArray[np.uint8]
    uv: NDArray[np.float64]


def bake(
    mesh: trimesh.Trimesh,
    points: NDArray[np.float64],
    colors: NDArray[np.uint8],
    reach: float = np.inf,
) -> Texture:
    """Bake a texture of `mesh` from coloured (N, 3) points near its surface.

    What is farther than `reach` (m) from every point is greyed: it was never seen.

    Every pair of triangles shares a square cell of the image, one on either side of its diagonal;
    the pixels beyond a triangle's edges continue its colours, so that filtering does not bleed.
    """
    count = len(mesh.faces)
    columns = int(np.ceil(np.sqrt((count + 1) // 2)))
    rows = int(np.ceil((count + 1) // 2 / columns))
    cells = np.arange(count) // 2
    corner = _CELL * np.stack([cells % columns, cells // columns], axis=-1)
    low, high = 1.0, _CELL - 1.0
    lower = np.array([[low, low], [high - 2, low], [low, high - 2]])
    upper = np.array([[high, high], [low + 2, high], [high, low + 2]])
    corners = np.where((np.arange(count) % 2 == 0)[:, None, None], lower, upper)

    pixels = np.stack(np.meshgrid(np.arange(_CELL), np.arange(_CELL)), axis=-1).reshape(-1, 2)
    first_half = pixels.sum(1) < _CELL - 1
    image = np.zeros((rows * _CELL, columns * _CELL, 3), np.uint8)
    tree = cKDTree(points)
    for odd, own in ((0, first_half), (1, ~first_half)):
        triangles = mesh.triangles[odd::2]
        if not len(triangles):
            continue
        centres = pixels[own] + 0.5
        weights = _barycentric(centres, (lower, upper)[odd]).clip(0, 1)
        weights /= weights.sum(1, keepdims=True)
        places = np.einsum("pk,tkd->tpd", weights, triangles)
        distances, nearest = (
            found.reshape(*places.shape[:2], -1)
            for found in tree.query(places, k=min(_NEIGHBOURS, len(points)))
        )
        shades = colors[nearest].mean(2)
        unseen = distances[..., 0] > reach
        shades[unseen] = dulled(shades[unseen])
        where = corner[odd::2, None] + pixels[own]
        image[where[..., 1], where[..., 0]] = shades.round().astype(np.uint8)
    size = np.array([image.shape[1], image.shape[0]], float)
    uv = (corner[:, None] + corners) / size
    uv[..., 1] = 1 - uv[..., 1]
    return Texture(image, uv)


def _barycentric(places: NDArray[np.float64], triangle: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P, 3) barycentric coordinates of (P, 2) places in a (3, 2) triangle."""
    edges = (triangle[1:] - triangle[0]).T
    two = np.linalg.solve(edges, (places - triangle[0]).T).T
    return np.column_stack([1 - two.sum(1), two])
