"""Cut the one object that stands on a table out of a scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autourdf_ros.errors import InputError
from autourdf_ros.shape.solid.coloured_surface import FEWEST_POINTS, ColouredSurface
from autourdf_ros.shape.solid.table_completion import (
    TABLE_OPTIONS,
    Table,
    TableOptions,
    above_table,
)
from autourdf_ros.shape.solid.winding_field import FIELD_OPTIONS, spacing_of

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class CutOptions:
    """What belongs to one object.

    Attributes:
        gap: Spacings between points across which they still belong together.
        standing: Spacings above the table within which what stands on it begins.
        other: Share of the object's points from which another piece is an object as well.
    """

    gap: float = 4.0
    standing: float = 8.0
    other: float = 0.2


CUT_OPTIONS = CutOptions()


def object_on_table(
    scene: ColouredSurface,
    table: Table,
    options: CutOptions = CUT_OPTIONS,
    table_options: TableOptions = TABLE_OPTIONS,
) -> ColouredSurface:
    """Return the points of the one object on the table.

    What hangs in the air, as the robot does, and specks are left out.

    Raises:
        InputError: there is none, or more than one.
    """
    above = above_table(scene, table, table_options)
    spacing = spacing_of(scene.points, FIELD_OPTIONS.neighbours)
    pieces = connected_pieces(above.points, options.gap * spacing)
    counts = np.bincount(pieces)
    lowest = np.full(len(counts), np.inf)
    np.minimum.at(lowest, pieces, above.points @ table.normal - table.height)
    standing = lowest < options.standing * spacing + table_options.clear * table.noise
    sizes = np.where(standing, counts, 0)
    chosen = int(sizes.argmax())
    if sizes[chosen] < FEWEST_POINTS:
        raise InputError(
            f"{scene.source}: {sizes[chosen]} points stand on the table; accepted is an object of "
            f"{FEWEST_POINTS} or more"
        )
    others = np.flatnonzero(sizes > options.other * sizes[chosen])
    if len(others) > 1:
        middles = [np.round(above.points[pieces == one].mean(0), 3).tolist() for one in others]
        raise InputError(
            f"{scene.source}: {len(others)} objects stand on the table, at {middles} m; accepted "
            "is one"
        )
    return above.chosen(pieces == chosen)


def connected_pieces(points: Array, reach: float) -> Labels:
    """Return the piece (n,) of every point: those within reach (m) of each other are of one."""
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray")
    graph = coo_matrix((np.ones(len(pairs), bool), pairs.T), shape=(len(points),) * 2)
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)
