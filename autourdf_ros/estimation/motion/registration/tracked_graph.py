"""The deformation graph as it was tracked through frames, and what its nodes show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.normal_equations import normal_equations, point_information
from autourdf_ros.estimation.common.rigid_bodies import Bodies, to_reference
from autourdf_ros.estimation.common.surface_matching import Matches, match, warped_surface
from autourdf_ros.estimation.common.visibility import visible_information
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import (
    from_translation,
    transform,
)
from autourdf_ros.parallel import on_all_cores

LEAST_NOISE = 1e-3  # of the spacing


@dataclass(frozen=True)
class Pieces:
    """B pieces of the reference surface, tracked through F frames.

    Attributes:
        bodies: motions of the pieces.
        labels: (N,) piece of every reference point, -1 none.
        edges: (E, 2) pairs of neighbouring pieces.
    """

    bodies: Bodies
    labels: Labels
    edges: NDArray[np.int64]


@dataclass(frozen=True)
class TrackedGraph:
    """A deformation graph of K nodes, and the motions of the nodes in F frames.

    Attributes:
        graph: the graph on the reference cloud.
        bodies: the nodes as pieces of surface (`node_bodies`).
    """

    graph: DeformationGraph
    bodies: Bodies

    @property
    def pieces(self) -> Pieces:
        """The nodes as pieces to be segmented."""
        return Pieces(self.bodies, self.graph.nodes, self.graph.edges)


def node_bodies(
    graph: DeformationGraph, reference: Cloud, frames: list[Cloud], poses: Array
) -> Bodies:
    """Return the nodes as pieces of surface, with what they show in every frame.

    Args:
        graph: K nodes on the reference.
        reference: the reference cloud.
        frames: F frames.
        poses: (F, K, 4, 4) of the nodes.
    """

    def shown(frame: Cloud, pose: Array) -> tuple[Array, Array]:
        matches = _near_matches(graph, reference, frame, pose)
        centres = transform(pose, graph.centres)
        groups = graph.nodes[matches.source]
        plane, _ = normal_equations(matches, groups, centres)
        visible = visible_information(plane, point_information(matches, groups, centres))
        weights: Array = np.bincount(groups, matches.weights, len(centres)).astype(float)
        return to_reference(from_translation(-centres), visible), weights

    information, weights = map(np.array, zip(*on_all_cores(shown, frames, poses), strict=True))
    return Bodies(poses, to_reference(poses, information), weights)


def _near_matches(graph: DeformationGraph, reference: Cloud, frame: Cloud, pose: Array) -> Matches:
    moved, normals = warped_surface(pose, graph.nodes, reference.points, reference.normals)
    gate = 2 * max(reference.spacing, frame.spacing)
    return match(
        moved, normals, reference.flatness, frame, gate=gate, kernel=gate, directions="forward"
    )


def tracking_noise(
    graph: DeformationGraph, reference: Cloud, frames: list[Cloud], poses: Array
) -> float:
    """Return the robust standard deviation (m) of the point-to-plane distances that poses leave.

    Of frames that are copies of each other it is small, not 0. Arguments are those of
    `node_bodies`.
    """
    distances = []
    for frame, pose in zip(frames, poses, strict=True):
        matches = _near_matches(graph, reference, frame, pose)
        distances.append(np.abs(matches.distances[matches.weights > 0.3]))
    found = float(1.4826 * np.median(np.concatenate(distances)))
    return max(found, LEAST_NOISE * reference.spacing)
