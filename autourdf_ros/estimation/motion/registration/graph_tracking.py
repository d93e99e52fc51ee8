"""Track the reference cloud through a sequence by a deformation graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.surface_matching import warped_surface
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.graph_registration import (
    FROM_BESIDE,
    align_translation,
    register_frame,
    registration_score,
)
from autourdf_ros.estimation.motion.registration.lost_pieces import lost_pieces, retries
from autourdf_ros.estimation.motion.registration.point_costs import distance_costs
from autourdf_ros.estimation.motion.registration.tracked_graph import tracking_noise
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import (
    from_translation,
    inverse,
    log_se3,
    moved_about,
    transform,
)

TRUSTED = 1.35  # times the best score
LEAST_SAVED = 1.5  # mean cost that a lost piece saves its points where it is found again


@dataclass(frozen=True)
class Tracking:
    """Where the nodes went, in F frames.

    Attributes:
        poses: (F, K, 4, 4) motion of every node from the reference frame, in the fixed frame.
        scores: (F,) as `registration_score`.
        graph: the graph without the edges that turned out to hold nothing together.
    """

    poses: Array
    scores: Array
    graph: DeformationGraph

    @property
    def good(self) -> NDArray[np.bool_]:
        """(F,) frames up to the first that registered clearly worse than the best."""
        return np.logical_and.accumulate(self.scores < TRUSTED * self.scores.min())

    def first(self, count: int) -> Tracking:
        """Return where they went in the first frames only."""
        return replace(self, poses=self.poses[:count], scores=self.scores[:count])


def track_sequence(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    size: float,
    report: Callable[[float], None],
    known: Tracking | None = None,
) -> Tracking:
    """Track the reference through the frames of one sequence, in their order.

    The first frame may be the reference itself. Every frame starts from constant velocity and a
    robust translation of the whole; one that scores badly is tried again from no and from half the
    velocity.

    Args:
        graph: K nodes on the reference.
        reference: the reference cloud.
        frames: F frames.
        size: diagonal of the robot's bounding box.
        report: is called with the share done.
        known: tracking of the first of these frames; it goes on from there.
    """
    at_rest = np.broadcast_to(np.eye(4), (len(graph.centres), 4, 4)).copy()
    found, scores = [at_rest, at_rest], []
    if known is not None:
        graph, scores = known.graph, known.scores.tolist()
        found += list(known.poses)
    for frame in frames[len(scores) :]:
        previous, poses = found[-2:]
        best_score, best_poses = np.inf, poses
        for velocity in (1.0, 0.0, 0.5):
            start = _predict(graph, previous, poses, velocity)
            moved = transform(start[graph.nodes], reference.points)
            shift = align_translation(moved, frame, reference.spacing, size)
            start = from_translation(shift) @ start
            candidate = register_frame(graph, reference, frame, start, size)
            moved = transform(candidate[graph.nodes], reference.points)
            score = registration_score(moved, frame, max(reference.spacing, frame.spacing))
            if score < best_score:
                best_score, best_poses = score, candidate
            if best_score < min([1.5, *(1.2 * s for s in scores)]):
                break
        graph, best_poses = _with_lost_pieces(graph, reference, frame, best_poses, size)
        moved = transform(best_poses[graph.nodes], reference.points)
        best_score = registration_score(moved, frame, max(reference.spacing, frame.spacing))
        found.append(best_poses)
        scores.append(best_score)
        report(len(scores) / len(frames))
    return Tracking(np.array(found[2:]), np.array(scores), graph)


def _with_lost_pieces(
    graph: DeformationGraph, reference: Cloud, frame: Cloud, poses: Array, size: float
) -> tuple[DeformationGraph, Array]:
    """The poses with lost pieces found again, and the graph without the edges that held them."""
    noise = tracking_noise(graph, reference, [frame], poses[None])

    def costs_at(poses: Array) -> Array:
        moved, turned = warped_surface(poses, graph.nodes, reference.points, reference.normals)
        return distance_costs(frame, moved, turned, noise)

    costs = costs_at(poses)
    for piece in lost_pieces(graph, costs):
        own = piece[graph.nodes]
        best_graph, best_poses, best_costs = graph, poses, costs
        for cut, start in retries(graph, poses, piece):
            tried = register_frame(cut, reference, frame, start, size, FROM_BESIDE)
            left = costs_at(tried)
            if left.sum() < best_costs.sum():
                best_graph, best_poses, best_costs = cut, tried, left
        if (costs - best_costs)[own].mean() > LEAST_SAVED:
            graph, poses, costs = best_graph, best_poses, best_costs
    return graph, poses


def _predict(graph: DeformationGraph, previous: Array, poses: Array, velocity: float) -> Array:
    """Node poses one step on, at `velocity` times the last step's twists about the centres."""
    if velocity == 0.0:
        return poses
    centres = from_translation(transform(previous, graph.centres))
    local = inverse(centres) @ poses @ inverse(previous) @ centres
    twists = velocity * log_se3(local)
    now = transform(poses, graph.centres)
    return moved_about(now, twists, poses)
