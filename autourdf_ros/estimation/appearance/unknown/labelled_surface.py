"""The surface of a robot at rest, and the link that each of its points belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.kinematics.silhouette_likelihood import (
    LikelihoodOptions,
    label_costs,
)
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes
from autourdf_ros.estimation.appearance.silhouettes.visual_hull import Hull
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.geometry.arrays import Array, Labels


@dataclass(frozen=True)
class LabelledSurface:
    """Points of a robot at rest.

    Attributes:
        points: (N, 3) m.
        normals: (N, 3) unit, outward.
        labels: (N,) number of each one's link.
    """

    points: Array
    normals: Array
    labels: Labels


def labelled_surface(
    silhouettes: Silhouettes,
    hull: Hull,
    state: StructureState,
    options: LikelihoodOptions,
    share: float,
) -> LabelledSurface:
    """Carve a hull by all images, with every cell moved by the link that keeps it inside best.

    Args:
        silhouettes: Of the state's F images.
        hull: Of the robot at rest.
        state: Tree and values.
        options: Of the comparison.
        share: Of the images in which a cell may be outside.

    Raises:
        InputError: No cell is left.
    """
    costs = label_costs(silhouettes, hull.points, state.tree.motions(state.values), options)
    kept = costs.outside.min(axis=0) <= share
    if not kept.any():
        raise InputError(
            "no part of the robot is inside of the masks in all its configurations; accepted are "
            "cameras, masks and joint_positions of one robot"
        )
    carved, labels = hull.of_cells(kept), costs.labels[kept]
    chosen, normals = carved.surface()
    return LabelledSurface(carved.points[chosen], normals, labels[chosen])
