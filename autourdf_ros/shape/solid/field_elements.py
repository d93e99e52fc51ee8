"""Volume elements where a field is positive: cubes of a lattice, cut at the field's zero.

The field is known at the corners near the surface; between them it is trilinear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label
from scipy.spatial import cKDTree

Array = NDArray[np.float64]
Field = Callable[[Array], Array]

_FEW = 32  # places at which a piece of far space is asked: a resource bound
_PARTS = 4  # along each side of a cube that is cut: a resource bound


@dataclass(frozen=True)
class Lattice:
    """Cubes over a box.

    Attributes:
        origin: (3,) lowest corner (m).
        cell: Side of a cube (m).
        shape: Cubes along the axes.
    """

    origin: Array
    cell: float
    shape: tuple[int, int, int]

    def corners(self, indices: NDArray[np.int64] | Array) -> Array:
        """Return the places (n, 3) of corners (n, 3), which count from the lowest."""
        return self.origin + self.cell * indices


def lattice_over(points: Array, cell: float) -> Lattice:
    """Return the lattice over the points (n, 3), with a margin of two cubes."""
    low, high = points.min(0), points.max(0)
    counts = np.ceil((high - low) / cell).astype(int) + 4
    origin = (low + high) / 2 - counts * cell / 2
    return Lattice(origin, cell, (int(counts[0]), int(counts[1]), int(counts[2])))


def corner_values(lattice: Lattice, points: Array, reach: float, field: Field) -> Array:
    """Return the field at all corners (a, b, c) of a lattice.

    Farther than `reach` (m) from every point the field is taken to keep its sign: each connected
    piece of that space is asked at a few places, and takes one value where they agree. Where they
    do not, the piece reaches through a hole between the points, and is asked everywhere.

    Args:
        lattice: Of the cubes.
        points: (n, 3) of the surface.
        reach: At least two cells and about the largest hole between points.
        field: Positive inside, of places (m, 3).
    """
    shape = tuple(count + 1 for count in lattice.shape)
    places = lattice.corners(np.indices(shape).reshape(3, -1).T)
    distances = cKDTree(points).query(places, distance_upper_bound=reach)[0]
    near = np.isfinite(distances)
    values = np.empty(len(places))
    values[near] = field(places[near])
    pieces = label(~near.reshape(shape))[0].ravel()
    order = np.argsort(pieces, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(pieces[order])) + 1):
        if near[own[0]]:
            continue
        few = own[np.linspace(0, len(own) - 1, min(_FEW, len(own))).astype(int)]
        asked = field(places[few])
        agreed = (asked > 0).all() or (asked <= 0).all()
        values[own] = np.median(asked) if agreed else field(places[own])
    return values.reshape(shape)


def crossings(lattice: Lattice, values: Array) -> Array:
    """Return the places (n, 3) where the field changes its sign along the edges of the lattice."""
    found = []
    for axis in range(3):
        first = np.moveaxis(values, axis, 0)
        places = np.argwhere(np.moveaxis((first[1:] > 0) != (first[:-1] > 0), 0, axis))
        step = np.eye(3, dtype=int)[axis]
        low, high = values[tuple(places.T)], values[tuple((places + step).T)]
        found.append(lattice.corners(places + (low / (low - high))[:, None] * step))
    return np.concatenate(found)


def field_elements(lattice: Lattice, values: Array) -> tuple[Array, Array, Array]:
    """Return centres (n, 3), volumes (n,) and second moments (n, 3, 3) of the cubes' insides."""
    eight = np.stack(
        [
            values[i : i + lattice.shape[0], j : j + lattice.shape[1], k : k + lattice.shape[2]]
            for i in (0, 1)
            for j in (0, 1)
            for k in (0, 1)
        ],
        axis=-1,
    )
    kept = eight.max(-1) > 0
    corners, held = lattice.corners(np.argwhere(kept)), eight[kept]
    cut = held.min(1) <= 0
    fractions, means, seconds = _whole_cubes(len(held))
    fractions[cut], means[cut], seconds[cut] = _cut_cubes(held[cut])
    some = fractions > 1e-3  # far below what the field's own errors leave undecided
    fractions, means, seconds = fractions[some], means[some], seconds[some]
    cell = lattice.cell
    centres = corners[some] + cell * means
    volumes = cell**3 * fractions
    return centres, volumes, cell**5 * seconds


def _whole_cubes(count: int) -> tuple[Array, Array, Array]:
    second = np.eye(3) / 12
    return np.ones(count), np.full((count, 3), 0.5), np.repeat(second[None], count, axis=0)


def _cut_cubes(held: Array) -> tuple[Array, Array, Array]:
    """Fraction (n,), mean place (n, 3) and second moments (n, 3, 3) inside unit cubes.

    Every cube is cut into smaller ones, and a small one by the plane that the field has in it.
    """
    middles = (np.indices((_PARTS,) * 3).reshape(3, -1).T + 0.5) / _PARTS
    x, y, z = (np.stack([1 - middles[:, a], middles[:, a]], 1) for a in range(3))
    weights = np.einsum("pi,pj,pk->pijk", x, y, z).reshape(len(middles), 8)
    signs = np.array([-1.0, 1.0])
    slopes = np.stack(
        [
            np.einsum("i,pj,pk->pijk", signs, y, z),
            np.einsum("pi,j,pk->pijk", x, signs, z),
            np.einsum("pi,pj,k->pijk", x, y, signs),
        ]
    ).reshape(3, len(middles), 8)
    values = held @ weights.T
    steepness = np.sqrt(sum((held @ slope.T) ** 2 for slope in slopes))
    share = np.clip(0.5 + values * _PARTS / np.maximum(steepness, 1e-12), 0.0, 1.0)
    total = share.sum(1)
    safe = np.maximum(total, 1e-12)
    means = share @ middles / safe[:, None]
    products = np.einsum("pi,pj->pij", middles, middles).reshape(len(middles), 9)
    seconds = (share @ products).reshape(-1, 3, 3)
    seconds -= total[:, None, None] * means[:, :, None] * means[:, None, :]
    seconds += total[:, None, None] * np.eye(3) / (12 * _PARTS**2)
    count = _PARTS**3
    return total / count, means, seconds / count
