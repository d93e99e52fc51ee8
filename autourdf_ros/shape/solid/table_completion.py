"""Complete the surface of an object that stands on a table and was seen from above.

What the camera did not see is closed down to the table: walls below the outline, and a flat bottom,
as by Nadeau, Giamou, Kelly, ICRA 2023. That is right for what is flat, and too large for what is
round or arched: nothing is added where cameras saw the bare table, or looked past.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_closing, binary_erosion, binary_fill_holes
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.range_image import RangeImage
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.winding_field import FIELD_OPTIONS, spacing_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """A plane on which objects stand.

    Attributes:
        normal: (3,) unit, up.
        height: Of the plane along the normal (m).
        noise: Standard deviation of the points about it (m).
    """

    normal: Array
    height: float
    noise: float = 0.0


@dataclass(frozen=True)
class TableOptions:
    """How a table is found, and an object on it completed.

    Attributes:
        trials: Planes through three points; a resource bound.
        share: Least share of the points that lie on a table.
        inlier: Point spacings from the plane within which a point may be of the table.
        clear: Standard deviations above the table below which a point belongs to it.
        closing: Spacings of holes in the object's outline that are closed.
    """

    trials: int = 300
    share: float = 0.25
    inlier: float = 0.5
    clear: float = 4.0
    closing: int = 3


TABLE_OPTIONS = TableOptions()


def fit_table(
    scene: ColouredSurface, seed: int = 0, options: TableOptions = TABLE_OPTIONS
) -> Table:
    """Return the plane with most points of a scene, its normal towards the rest of them.

    Random sample consensus (Fischler, Bolles, 1981), then a fit to the points on it.

    Raises:
        InputError: too few points lie on one plane.
    """
    points, rng = scene.points, np.random.default_rng(seed)
    gate = options.inlier * spacing_of(points, FIELD_OPTIONS.neighbours)
    best = np.zeros(len(points), bool)
    for _ in range(options.trials):
        first, second, third = points[rng.choice(len(points), 3, replace=False)]
        normal = np.cross(second - first, third - first)
        length = np.linalg.norm(normal)
        if length > 0:
            inside = np.abs((points - first) @ normal) < gate * length
            best = inside if inside.sum() > best.sum() else best
    if best.mean() < options.share or best.sum() < 3:
        raise InputError(
            f"{scene.source}: {100 * best.mean():.0f} % of the points lie on one plane; accepted "
            f"is a table with {100 * options.share:.0f} % or more of them"
        )
    middle = points[best].mean(0)
    normal = np.linalg.svd(points[best] - middle, full_matrices=False)[2][2]
    if ((points - middle) @ normal).sum() < 0:
        normal = -normal
    noise = float(((points[best] - middle) @ normal).std())
    return Table(normal, float(middle @ normal), noise)


def above_table(
    scene: ColouredSurface, table: Table, options: TableOptions = TABLE_OPTIONS
) -> ColouredSurface:
    """Return the points of a scene that stand clear of the table.

    Raises:
        InputError: there are too few of them for an object.
    """
    return scene.chosen(scene.points @ table.normal > table.height + options.clear * table.noise)


@dataclass(frozen=True)
class EmptySpace:
    """Where the cameras showed that there is no object.

    Attributes:
        bare: (n, 3) points of the table that were seen (m): no object stands there.
        views: What each camera saw of object and table.
    """

    bare: Array
    views: tuple[RangeImage, ...] = ()

    def covers(self, places: Array, table: Table, margin: float) -> NDArray[np.bool_]:
        """Return whether places (n, 3) on the table or above are seen to be empty.

        Args:
            places: m.
            table: The plane.
            margin: Behind a place, from which on a camera saw past it (m).
        """
        low = places @ table.normal - table.height < margin / 2
        found = np.zeros(len(places), bool)
        if len(self.bare) > 1:
            near = cKDTree(self.bare).query(places[low])[0]
            found[low] = near < max(spacing_of(self.bare, FIELD_OPTIONS.neighbours), margin / 2)
        for view in self.views:
            found |= ~low & view.passes(places, margin)
        return found


def completed_on_table(
    surface: ColouredSurface,
    table: Table,
    empty: EmptySpace | None = None,
    options: TableOptions = TABLE_OPTIONS,
) -> ColouredSurface:
    """Return the surface closed down to the table; added points are not `observed`.

    Args:
        surface: Points of the object as seen from above, without the table's.
        table: On which it stands.
        empty: Where nothing is added; None where that is not known.
        options: How the outline is closed.
    """
    turn = _upright(table.normal)
    own = surface.points @ turn.T
    cell = spacing_of(surface.points, FIELD_OPTIONS.neighbours)
    origin = own[:, :2].min(0) - (options.closing + 1.5) * cell
    places = np.floor((own[:, :2] - origin) / cell).astype(int)
    taken = np.zeros(places.max(0) + options.closing + 3, bool)
    taken[tuple(places.T)] = True
    outline = binary_fill_holes(binary_closing(taken, iterations=options.closing))
    floor = origin + cell * (np.argwhere(outline) + 0.5)
    bottom = np.column_stack([floor, np.full(len(floor), table.height)])
    edge = origin + cell * (np.argwhere(outline & ~binary_erosion(outline)) + 0.5)
    added = np.concatenate([bottom, _walls(own, edge, table.height, cell)]) @ turn
    if empty is not None:
        added = added[~empty.covers(added, table, cell)]
    return _with_unseen(surface, added)


def _upright(normal: Array) -> Array:
    """Rotation (3, 3) that turns the normal to z."""
    side = np.eye(3)[np.abs(normal).argmin()]
    first = np.cross(side, normal)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first), normal])


def _walls(own: Array, edge: Array, height: float, cell: float) -> Array:
    """Points (n, 3) straight down from the object's outline to the table, a cell apart.

    Each column starts at the lowest seen point near it.
    """
    near = cKDTree(own[:, :2]).query(edge, k=min(4, len(own)))[1].reshape(len(edge), -1)
    tops = own[near, 2].min(1)
    counts = np.maximum(np.floor((tops - height) / cell - 0.5).astype(int), 0)
    which = np.repeat(np.arange(len(edge)), counts)
    steps = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    return np.column_stack([edge[which], height + cell * steps])


def _with_unseen(surface: ColouredSurface, added: Array) -> ColouredSurface:
    colours = surface.colours
    if colours is not None:
        near = cKDTree(surface.points).query(added)[1]
        colours = np.concatenate([colours, colours[near]])
    seen = np.ones(len(surface.points), bool) if surface.observed is None else surface.observed
    observed = np.concatenate([seen, np.zeros(len(added), bool)])
    points = np.concatenate([surface.points, added])
    return ColouredSurface(points, colours, None, surface.source, observed)
