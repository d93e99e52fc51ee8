"""A kinematic hypothesis: bodies on the reference cloud, and the tree of joints between them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from autourdf_ros.estimation.common.joint_fit import on_axes
from autourdf_ros.estimation.common.rigid_bodies import Bodies, Noise
from autourdf_ros.estimation.common.surface_matching import VISIBLE, visible_share
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import BasePrior, States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface, surface_of
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.graph_tracking import (
    FROM_NEARBY,
    node_bodies,
    register_frame,
    size_of,
)
from autourdf_ros.estimation.motion.registration.point_labels import own_costs
from autourdf_ros.estimation.motion.segmentation.root_body import RootMove
from autourdf_ros.estimation.motion.segmentation.segmentation import (
    Segmentation,
    segment,
    united,
    united_with_neighbour,
    without_body,
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
from autourdf_ros.estimation.motion.structure.savings import last_links, savings
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.parallel import on_all_cores

PRIORS = {
    "still": BasePrior(rotation=0.0, translation=0.0),
    "shifts": BasePrior(rotation=0.0),
    "turns": BasePrior(rotation=np.inf),
}
DRIVEN = 0.1  # share of a joint's values below which a motor drives it
UNEXPLAINED = 0.2  # share of a joint's values beyond which no motor drives it
DRIVEN_COST = 2.5  # mean cost per point and frame below which such a body is part of another
LOST_COST = 3.0  # mean cost per point and frame above which a model does not explain a link
FROZEN_COST = 0.3  # mean cost per point and frame up to which a joint may as well be frozen
SMALL_BODY = 0.03  # share of the points
LEAST_CONFIRMED = 1 / 3  # share of what a last link saves (`Saving`): of fingers 0.5, mostly 1
SMALL_MARGIN = 3.0
TREE_NOISE = 2.0  # measured noise times this weighs joints against gaps


@dataclass(frozen=True)
class CandidateModel:
    """A candidate for the robot's model after some frames.

    Not a `SelfModel`: bodies have no names yet, and the search compares many of it.

    model, surface: with the bodies in the tree's order. states: of the frames it was made from.
    tree, segmentation: how it came about. labels: (N,) body, tree order, of every reference point.
    grown: what it came from, if from the motors' readings.
    """

    model: Articulation
    surface: LabelledSurface
    states: States
    tree: CandidateTree
    segmentation: Segmentation
    labels: NDArray[np.int64]
    expanded: ExpandedTree | None = None

    @property
    def matched_count(self) -> int:
        """Motors that explain joints, less the joints that none does."""
        motors, explained = self.tree.motors, self.follow_motors
        return len(np.unique(motors.columns[explained])) - int((~explained).sum())

    @property
    def explained(self) -> float:
        """Share of the reference points that follow a body."""
        return float(np.mean(self.labels >= 0))

    def predicted(self, readings: Array) -> Array:
        """Joint values (F, J) by readings (F, M), NaN where no motor explains a joint."""
        motors = self.tree.motors
        values = readings[:, motors.columns] * motors.ratios
        return np.where(self.follow_motors, values, np.nan)

    @property
    def follow_motors(self) -> NDArray[np.bool_]:
        """(J,) whether a motor explains a joint."""
        motors = self.tree.motors
        return (motors.columns >= 0) & (motors.unexplained_shares < DRIVEN)

    def unmatched_motors(self, count: int) -> list[int]:
        """Which of `count` motors turn no joint."""
        return sorted(
            set(range(count)) - set(self.tree.motors.columns[self.follow_motors].tolist())
        )

    @property
    def prior(self) -> BasePrior:
        """The base may do in every frame what the root was seen to do."""
        return PRIORS[self.segmentation.root_motion]


def candidate_by_merging(
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
    readings: Array | None = None,
    root: RootMove | None = None,
) -> CandidateModel:
    """Bodies, tree and joints from pieces of surface tracked through frames (`segment`).

    readings: (F, M) of the motors, relative to the reference frame, if there are any. root: how the
    frames move as a whole, where other frames have told.
    """
    segmentation = segment(
        reference,
        frames,
        pieces,
        labels,
        edges,
        neighbours,
        noise=noise,
        stop=stop,
        count=count,
        known=root,
    )
    motors = 0 if readings is None else readings.shape[1]
    tree = _tree_of(reference, segmentation, noise, readings)
    while count is None and (
        fewer := _simpler(reference, frames, segmentation, tree, neighbours, noise, motors)
    ):
        segmentation = fewer
        tree = _tree_of(reference, segmentation, noise, readings)
    return _from_segmentation(reference, segmentation, tree)


def candidate_by_expansion(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    neighbours: csr_matrix,
    *,
    noise: Noise,
    readings: Array,
    metre: float,
    known: ExpandedTree | None = None,
    root: RootMove | None = None,
    small_links: bool = True,
) -> CandidateModel | None:
    """Bodies, tree and joints by what the motors' readings explain (`grow_by_motors`), if any."""
    expanded = expand_by_motors(
        reference,
        frames,
        pieces,
        graph,
        neighbours,
        noise=noise,
        readings=readings,
        metre=metre,
        known=known,
        known_root=root,
        small_links=small_links,
    )
    if expanded is None or not expanded.chain.parents:
        return None
    segmentation = Segmentation(expanded.labels, expanded.bodies, 0, expanded.root_motion, (), ())
    tree = chain_tree(
        expanded.chain,
        expanded.bodies,
        body_gaps(reference.points, expanded.labels, len(expanded.chain.parents) + 1),
        noise=TREE_NOISE * noise.total,
        spacing=reference.spacing,
        readings=readings,
    )
    return replace(_from_segmentation(reference, segmentation, tree), expanded=expanded)


def _from_segmentation(
    reference: Cloud, segmentation: Segmentation, tree: CandidateTree
) -> CandidateModel:
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


def without_needless_joint(
    reference: Cloud,
    frames: list[Cloud],
    candidate: CandidateModel,
    *,
    noise: Noise,
    readings: Array | None = None,
) -> CandidateModel | None:
    """The hypothesis with the joint frozen that its child's points need least, if hardly; or None.

    A piece of a link that slid or spun on it, where no surface shows that, may get a joint; it
    fits as well without. Nor is a last link believed to move as its own surface cannot show: a
    round tube that spins may fit better only because all cameras are off alike. Nor is one whose
    points other frames only lack, so that they find others wherever they are let go (`savings`).
    But of a link on one that the model does not explain nothing is told: it fits badly with its
    joint, too, as one on the way to it is missing or wrong.
    """
    model, states, labels = candidate.model, candidate.states, candidate.labels
    poses = body_poses(model, states.values, states.base)
    frozen = poses.copy()
    frozen[:, 1:] = poses[:, model.parents]
    free = own_costs(reference, labels, frames, poses, noise=noise.total)
    held = own_costs(reference, labels, frames, frozen, noise=noise.total)
    links = range(1, poses.shape[1])
    moved = np.array([free[labels == link].mean() for link in links])
    kept = np.array([held[labels == link].mean() for link in links])
    lost_parent = np.append(0.0, moved)[model.parents] > LOST_COST
    rise = np.where(lost_parent, np.inf, kept - moved)
    last = last_links(model.parents, labels)
    saved = savings(reference, labels, frames, poses, last, frozen[:, last], noise=noise.total)
    for link, saving in zip(last, saved, strict=True):
        own, twist = labels == link, model.twists[link - 1]
        share = visible_share(reference.points[own], reference.normals[own], twist)
        if share < VISIBLE or saving.confirmed < LEAST_CONFIRMED:
            rise[link - 1] = 0.0
    if not len(rise) or rise.min() > FROZEN_COST:
        return None
    joint = int(rise.argmin())
    pair = candidate.tree.bodies[[model.parents[joint], joint + 1]]
    fewer = united(reference, frames, candidate.segmentation, pair)
    return _from_segmentation(reference, fewer, _tree_of(reference, fewer, noise, readings))


def _simpler(
    reference: Cloud,
    frames: list[Cloud],
    segmentation: Segmentation,
    tree: CandidateTree,
    neighbours: csr_matrix,
    noise: Noise,
    motors: int,
) -> Segmentation | None:
    """The segmentation with one doubtful body less, or None. motors: how many moved."""
    small = _spurious(segmentation, tree)
    if small is not None:
        return without_body(reference, frames, segmentation, neighbours, small, noise=noise)
    # Where every motor has its joint, what no motor drives is a piece of another body.
    complete = (tree.motors.unexplained_shares < DRIVEN).sum() >= motors > 0
    sizes = np.bincount(segmentation.labels[segmentation.labels >= 0], minlength=len(tree.bodies))
    bodies = tree.bodies[1:][tree.motors.unexplained_shares > UNEXPLAINED]
    for body in sorted(bodies.tolist(), key=lambda body: sizes[body]):
        simpler = united_with_neighbour(
            reference,
            frames,
            segmentation,
            neighbours,
            body,
            most=np.inf if complete else DRIVEN_COST,
            noise=noise,
        )
        if simpler is not None:
            return simpler
    return None


def _tree_of(
    reference: Cloud, segmentation: Segmentation, noise: Noise, readings: Array | None
) -> CandidateTree:
    bodies = segmentation.bodies
    gaps = body_gaps(reference.points, segmentation.labels, bodies.poses.shape[1])
    return build_tree(
        bodies,
        gaps,
        root=segmentation.root,
        noise=TREE_NOISE * noise.total,
        spacing=reference.spacing,
        readings=readings,
    )


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


def joint_anchors(
    points: Array,
    labels: NDArray[np.int64],
    parents: NDArray[np.int64],
    twists: Array,
    revolute: NDArray[np.bool_],
) -> Array:
    """Points (J, 3) on the joints' axes, or anywhere if prismatic, next to where bodies meet.

    For a body without points, those that it joins.
    """
    result = np.zeros((len(parents), 3))
    seen = np.isin(np.arange(len(parents) + 1), labels)
    above, below = np.arange(len(seen)), np.arange(len(seen))
    for body in range(1, len(seen)):
        above[body] = body if seen[body] else above[parents[body - 1]]
    for body in range(len(seen) - 1, 0, -1):
        if not seen[parents[body - 1]]:
            below[parents[body - 1]] = below[body]
    for j, parent in enumerate(parents):
        child_points, parent_points = (
            points[labels == below[j + 1]],
            points[labels == above[parent]],
        )
        distances, _ = cKDTree(parent_points).query(child_points)
        nearest = child_points[distances <= np.quantile(distances, 0.05) + 1e-12].mean(axis=0)
        result[j] = nearest
    return on_axes(twists, result, revolute)


def node_pieces(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    candidate: CandidateModel,
    states: States,
) -> Bodies:
    """Graph nodes tracked anew in frames whose states are known, loosely from the model's poses."""
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
