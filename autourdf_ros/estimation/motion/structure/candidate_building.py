"""Build candidate models from tracked pieces of surface: by merging them, or by the motors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.graph_registration import (
    FROM_NEARBY,
    register_frame,
)
from autourdf_ros.estimation.motion.registration.tracked_graph import TrackedGraph, node_bodies
from autourdf_ros.estimation.motion.segmentation.body_uniting import united_with_neighbour
from autourdf_ros.estimation.motion.segmentation.root_body import RootMove
from autourdf_ros.estimation.motion.segmentation.segmentation import segment
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation, without_body
from autourdf_ros.estimation.motion.structure.candidate_model import (
    MATCHED,
    CandidateModel,
    joint_anchors,
)
from autourdf_ros.estimation.motion.structure.candidate_tree import (
    CandidateTree,
    body_gaps,
    build_tree,
    chain_tree,
)
from autourdf_ros.estimation.motion.structure.expansion.motor_expansion import (
    ExpandedTree,
    expand_by_motors,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud, size_of
from autourdf_ros.parallel import on_all_cores

UNMATCHED = 0.2  # share of a joint's values beyond which no motor explains it
UNMATCHED_COST = 2.5  # mean cost per point and frame below which such a body is part of another
SMALL_BODY = 0.03  # share of the points
SMALL_MARGIN = 3.0
TREE_NOISE = 2.0  # measured noise times this weighs joints against gaps


def candidate_by_merging(
    frames: FrameSet,
    tracked: TrackedGraph,
    *,
    stop: float,
    count: int | None,
    readings: Array | None = None,
    root: RootMove | None = None,
) -> CandidateModel:
    """Find bodies, tree and joints by merging tracked nodes (`segment`).

    Args:
        frames: the reference and F frames.
        tracked: the deformation graph, tracked through them.
        stop: chi-square per frame at which bodies are no longer merged.
        count: number of bodies to force, or None to find it from the data.
        readings: (F, M) of the motors, relative to the reference frame, if there are any.
        root: how the frames move as a whole, where other frames determined it.
    """
    segmentation = segment(frames, tracked.pieces, stop=stop, count=count, known=root)
    motors = 0 if readings is None else readings.shape[1]
    tree = tree_of(frames, segmentation, readings)
    while count is None and (fewer := _simpler(frames, segmentation, tree, motors)):
        segmentation = fewer
        tree = tree_of(frames, segmentation, readings)
    return from_segmentation(frames.reference, segmentation, tree)


def candidate_by_expansion(
    frames: FrameSet,
    tracked: TrackedGraph,
    *,
    readings: Array,
    metre: float,
    known: ExpandedTree | None = None,
    root: RootMove | None = None,
    small_links: bool = True,
) -> CandidateModel | None:
    """Find bodies, tree and joints by what the motors' readings explain (`expand_by_motors`).

    Returns:
        The candidate, or None where no root is seen, or no motor explains a joint.
    """
    expanded = expand_by_motors(
        frames,
        tracked,
        readings=readings,
        metre=metre,
        known=known,
        known_root=root,
        small_links=small_links,
    )
    if expanded is None or not expanded.chain.parents:
        return None
    reference = frames.reference
    segmentation = Segmentation(expanded.labels, expanded.bodies, 0, expanded.root_motion, (), ())
    tree = chain_tree(
        expanded.chain,
        expanded.bodies,
        body_gaps(reference.points, expanded.labels, len(expanded.chain.parents) + 1),
        noise=TREE_NOISE * frames.noise,
        spacing=reference.spacing,
        readings=readings,
    )
    return replace(from_segmentation(reference, segmentation, tree), expanded=expanded)


def from_segmentation(
    reference: Cloud, segmentation: Segmentation, tree: CandidateTree
) -> CandidateModel:
    """Return the candidate of segmented bodies and the tree of joints between them."""
    bodies, root = segmentation.bodies, segmentation.root
    place = np.empty(len(tree.bodies), dtype=np.int64)
    place[tree.bodies] = np.arange(len(tree.bodies))
    ordered = np.where(segmentation.labels >= 0, place[segmentation.labels], -1)
    anchors = joint_anchors(reference.points, ordered, tree.parents, tree.twists, tree.revolute)
    model = Articulation(tree.parents, tree.twists, tree.revolute, anchors)
    states = States(tree.values, bodies.poses[:, root])
    return CandidateModel(
        model, surface_of(reference, ordered), states, tree, segmentation, ordered
    )


def tree_of(frames: FrameSet, segmentation: Segmentation, readings: Array | None) -> CandidateTree:
    """Return the tree of joints between segmented bodies (`build_tree`).

    Args:
        frames: the reference and F frames.
        segmentation: the bodies.
        readings: (F, M) of the motors, relative to the reference frame, if there are any.
    """
    reference, bodies = frames.reference, segmentation.bodies
    return build_tree(
        bodies,
        body_gaps(reference.points, segmentation.labels, segmentation.count),
        root=segmentation.root,
        noise=TREE_NOISE * frames.noise,
        spacing=reference.spacing,
        readings=readings,
    )


def track_nodes_from(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    candidate: CandidateModel,
    states: States,
) -> Bodies:
    """Track the graph's nodes anew in frames whose states are known, loosely from these.

    Args:
        graph: the deformation graph on the reference cloud.
        reference: the reference cloud.
        frames: F frames.
        candidate: a model of them.
        states: its states in the frames, by which every node starts.
    """
    votes = np.zeros((len(graph.centres), len(candidate.tree.bodies)))
    labels = candidate.labels
    known = labels >= 0
    nearest = cKDTree(reference.points[known]).query(reference.points)[1]
    np.add.at(votes, (graph.nodes, labels[known][nearest]), 1)
    owners = votes.argmax(axis=1)
    size = size_of(reference.points)
    starts = body_poses(candidate.model, states.values, states.base)[:, owners]

    def registered(frame: Cloud, start: Array) -> Array:
        return register_frame(graph, reference, frame, start, size, FROM_NEARBY)

    poses = np.array(on_all_cores(registered, frames, starts))
    return node_bodies(graph, reference, frames, poses)


def _simpler(
    frames: FrameSet, segmentation: Segmentation, tree: CandidateTree, motors: int
) -> Segmentation | None:
    """The segmentation with one doubtful body less, or None. motors: how many moved."""
    small = _spurious(segmentation, tree)
    if small is not None:
        return without_body(frames, segmentation, small)
    # Where every motor has its joint, a body that no motor moves is a piece of another one.
    complete = (tree.motors.unexplained_shares < MATCHED).sum() >= motors > 0
    sizes = np.bincount(segmentation.labels[segmentation.labels >= 0], minlength=len(tree.bodies))
    bodies = tree.bodies[1:][tree.motors.unexplained_shares > UNMATCHED]
    most = np.inf if complete else UNMATCHED_COST
    for body in sorted(bodies.tolist(), key=lambda body: sizes[body]):
        simpler = united_with_neighbour(frames, segmentation, body, most=most)
        if simpler is not None:
            return simpler
    return None


def _spurious(segmentation: Segmentation, tree: CandidateTree) -> int | None:
    """The smallest body that is small and fits nearly as well elsewhere in the tree.

    Points next to a joint, or at a link's rim, that were fitted by a motion of their own: such a
    body hangs between two others about equally well, which a finger does not.
    """
    labels = segmentation.labels
    sizes = np.bincount(labels[labels >= 0], minlength=len(tree.bodies))
    doubtful = [
        int(body)
        for body, margin in zip(tree.bodies[1:], tree.margins, strict=True)
        if margin < SMALL_MARGIN and sizes[body] < SMALL_BODY * sizes.sum()
    ]
    return min(doubtful, key=lambda body: sizes[body]) if doubtful else None
