"""The winding number of an unoriented point cloud: about 1 inside the surface, about 0 outside.

Lin, Xiao, Shi, Wang, "Surface Reconstruction from Point Clouds without Normals by Parametrizing the
Gauss Formula", ToG 2022: every point has an unknown surface element, and the winding number of
all of them is 1/2 at every point. The elements of least norm solve one positive definite system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class FieldOptions:
    """How the winding number is found.

    Attributes:
        most_points: Of the cloud that are used, spread evenly; a resource bound (dense system).
        neighbours: Whose mean distance is the spacing at a place; the paper's.
        width: Spacings within which an element is blunted: below it single points would show.
        ridge: Of the system's diagonal that is added, the paper's α - 1: the share of the points'
            own noise.
        thinnest: Spacings that the object measures at least along each principal axis; it is
            stretched to this before, and back after. Two sides nearer than a few spacings merge.
    """

    most_points: int = 2500
    neighbours: int = 9
    width: float = 0.6
    ridge: float = 0.05
    thinnest: float = 4.0


FIELD_OPTIONS = FieldOptions()


@dataclass(frozen=True)
class WindingField:
    """Winding numbers around a cloud.

    Attributes:
        middle: (3,) of the cloud (m).
        frame: (3, 3) from the object's frame to the field's: principal axes, stretched.
        points: (n, 3) in the field's frame, of size 1.
        elements: (n, 3) their surface elements.
        widths: (n,) within which each is blunted.
        level: The winding number at the points.
        options: How it was found.
    """

    middle: Array
    frame: Array
    points: Array
    elements: Array
    widths: Array
    level: float
    options: FieldOptions

    def inside(self, places: Array) -> Array:
        """Return by how much (m,) the winding number at places (m, 3) m exceeds the surface's."""
        asked = (places - self.middle) @ self.frame.T
        count = min(self.options.neighbours + 1, len(self.points))
        distances = cKDTree(self.points).query(asked, k=count)[0][:, 1:]
        widths = self.options.width * distances.mean(1)
        widths = np.clip(widths, self.widths.min(), self.widths.max())
        return _winding_numbers(*_single(asked, widths, self.points, self.elements)) - self.level


def fit_winding_field(points: Array, options: FieldOptions = FIELD_OPTIONS) -> WindingField:
    """Return the winding field of the points (n, 3) of a closed surface (m).

    Raises:
        InputError: the points lie on a line or in a plane.
    """
    middle, frame = _frame(points, options)
    own = (points - middle) @ frame.T
    count = min(options.neighbours + 1, len(own))
    widths = options.width * cKDTree(own).query(own, k=count)[0][:, 1:].mean(1)
    places, blunted, sources, _ = _single(own, widths, own, own)
    matrix = _influences(places, blunted, sources)
    system = matrix @ matrix.T
    system[np.diag_indices(len(own))] *= 1 + options.ridge
    try:
        solved = cho_solve(cho_factor(system), np.full(len(own), 0.5, np.float32))
    except LinAlgError as error:
        raise InputError("a cloud whose surface has no inside; accepted is a closed one") from error
    elements = (matrix.T @ solved).reshape(-1, 3)
    level = float(np.median(matrix @ elements.ravel()))
    return WindingField(middle, frame, own, elements.astype(float), widths, level, options)


def spacing_of(points: Array, neighbours: int) -> float:
    """Return the side of the square of surface (m) that one of the points (n, 3) stands for.

    The k-th neighbour's distance r of points that are strewn at random over a plane: k = π r² ρ.
    """
    count = min(neighbours, len(points) - 1)
    far = cKDTree(points).query(points, k=count + 1)[0][:, -1]
    return float(np.median(far) * np.sqrt(np.pi / count))


def _frame(points: Array, options: FieldOptions) -> tuple[Array, Array]:
    middle = points.mean(0)
    _, axes = np.linalg.eigh(np.cov((points - middle).T))
    extents = np.ptp((points - middle) @ axes, axis=0)
    largest = float(extents.max())
    if not np.sort(extents)[1] > 1e-6 * largest:
        raise InputError("a cloud of points on one line; accepted is a surface")
    if not extents.min() > 1e-6 * largest:
        raise InputError("a cloud of points in one plane; accepted is a surface from all sides")
    least = min(options.thinnest * spacing_of(points, options.neighbours), largest)
    stretched = np.maximum(extents, least)
    factors = stretched / np.maximum(extents, 1e-6 * largest)
    return middle, (factors[:, None] * axes.T) / stretched.max()


def _single(*arrays: Array) -> tuple[Floats, ...]:
    return tuple(np.ascontiguousarray(array, np.float32) for array in arrays)


def _influences(places: Floats, widths: Floats, points: Floats) -> Floats:
    """(m, 3 n) by which unit elements at the points change the winding numbers at places (m, 3)."""
    offsets = points[None] - places[:, None]
    squares = np.maximum(np.einsum("mni,mni->mn", offsets, offsets), widths[:, None] ** 2)
    offsets /= (4 * np.pi * squares * np.sqrt(squares))[:, :, None].astype(np.float32)
    return offsets.reshape(len(places), -1)


@njit(cache=True, nogil=True, fastmath=True)
def _winding_numbers(places: Floats, widths: Floats, points: Floats, elements: Floats) -> Array:
    found = np.empty(len(places), np.float64)
    for i in range(len(places)):
        total = np.float32(0.0)
        least = widths[i] * widths[i]
        for j in range(len(points)):
            x = points[j, 0] - places[i, 0]
            y = points[j, 1] - places[i, 1]
            z = points[j, 2] - places[i, 2]
            square = max(x * x + y * y + z * z, least)
            towards = x * elements[j, 0] + y * elements[j, 1] + z * elements[j, 2]
            total += towards / (square * np.sqrt(square))
        found[i] = total / (4 * np.pi)
    return found
