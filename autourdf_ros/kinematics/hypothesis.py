"""A kinematic hypothesis: bodies on the reference cloud, and the tree of joints between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from autourdf_ros.kinematics.adjustment import BasePrior, States
from autourdf_ros.kinematics.articulation import Articulation, body_poses
from autourdf_ros.kinematics.cloud import Cloud
from autourdf_ros.kinematics.deformation_graph import DeformationGraph
from autourdf_ros.kinematics.joint_fit import line_point
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.merging import Bodies, Noise
from autourdf_ros.kinematics.registration import (
    FROM_NEARBY,
    node_bodies,
    register_frame,
    size_of,
)
from autourdf_ros.kinematics.segmentation import Segmentation, segment
from autourdf_ros.kinematics.surface import LabelledSurface, surface_of
from autourdf_ros.kinematics.topology import KinematicTree, body_gaps, build_tree

TREE_NOISE = 2.0  # measured noise times this weighs joints against gaps


@dataclass(frozen=True)
class Hypothesis:
    """What is believed of the robot after some frames.

    model, surface: with the bodies in the tree's order. states: of the frames it was made from.
    tree, segmentation: how it came about. labels: (N,) body, tree order, of every reference point.
    """

    model: Articulation
    surface: LabelledSurface
    states: States
    tree: KinematicTree
    segmentation: Segmentation
    labels: NDArray[np.int64]

    @property
    def prior(self) -> BasePrior:
        """The base only shifts where the root was seen not to turn."""
        return BasePrior(rotation=0.0 if self.segmentation.steady else np.inf)


def hypothesise(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    labels: NDArray[np.int64],
    edges: NDArray[np.int64],
    neighbours: csr_matrix,
    *,
    noise: Noise,
    stop: float,
    count: int | None,
) -> Hypothesis:
    """Bodies, tree and joints from pieces of surface tracked through frames (`segment`)."""
    segmentation = segment(
        reference, frames, pieces, labels, edges, neighbours, noise=noise, stop=stop, count=count
    )
    bodies, root = segmentation.bodies, segmentation.root
    gaps = body_gaps(reference.points, segmentation.labels, bodies.poses.shape[1])
    tree = build_tree(
        bodies, gaps, root=root, noise=TREE_NOISE * noise.total, spacing=reference.spacing
    )
    place = np.empty(len(tree.bodies), dtype=np.int64)
    place[tree.bodies] = np.arange(len(tree.bodies))
    ordered = np.where(segmentation.labels >= 0, place[segmentation.labels], -1)
    anchors = joint_anchors(reference.points, ordered, tree.parents, tree.twists, tree.revolute)
    model = Articulation(tree.parents, tree.twists, tree.revolute, anchors)
    states = States(tree.values, bodies.poses[:, root])
    return Hypothesis(model, surface_of(reference, ordered), states, tree, segmentation, ordered)


def joint_anchors(
    points: Array,
    labels: NDArray[np.int64],
    parents: NDArray[np.int64],
    twists: Array,
    revolute: NDArray[np.bool_],
) -> Array:
    """Points (J, 3) on the joints' axes (through it, where prismatic), next to where the bodies meet."""
    result = np.zeros((len(parents), 3))
    for j, parent in enumerate(parents):
        child_points, parent_points = points[labels == j + 1], points[labels == parent]
        distances, _ = cKDTree(parent_points).query(child_points)
        nearest = child_points[distances <= np.quantile(distances, 0.05) + 1e-12].mean(axis=0)
        if revolute[j]:
            on_line = line_point(twists[j])
            axis = twists[j, :3]
            nearest = on_line + ((nearest - on_line) @ axis) * axis
        result[j] = nearest
    return result


def node_pieces(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    hypothesis: Hypothesis,
    states: States,
) -> Bodies:
    """Graph nodes tracked anew in frames whose states are known, loosely from the model's poses."""
    votes = np.zeros((len(graph.centres), len(hypothesis.tree.bodies)))
    known = hypothesis.labels >= 0
    np.add.at(votes, (graph.nodes[known], hypothesis.labels[known]), 1)
    owners = votes.argmax(axis=1)
    size = size_of(reference.points)
    starts = body_poses(hypothesis.model, states.values, states.base)[:, owners]
    poses = np.array(
        [
            register_frame(graph, reference, frame, start, size, FROM_NEARBY)
            for frame, start in zip(frames, starts, strict=True)
        ]
    )
    return node_bodies(graph, reference, frames, poses)
