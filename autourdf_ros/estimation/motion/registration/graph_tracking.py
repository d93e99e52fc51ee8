"""Track the reference cloud through a sequence by a deformation graph.

Gauss-Newton on one rigid motion a node: two-way robust point-to-plane distances (a little
point-to-point to hold what slides) and as-rigid-as-possible smoothness between neighbours, both
annealed from nearly rigid and far-sighted to loose and near-sighted, where edges may break.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.block_banded import solve_blocks
from autourdf_ros.estimation.common.rigid_bodies import Bodies, to_reference
from autourdf_ros.estimation.common.surface_matching import (
    Matches,
    geman_mcclure,
    group_sum,
    match,
    normal_equations,
    point_information,
    visible_information,
    warped_surface,
)
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.estimation.motion.registration.lost_pieces import lost_pieces, retries
from autourdf_ros.estimation.motion.registration.point_labels import distance_costs
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import (
    from_translation,
    inverse,
    log_se3,
    log_so3,
    moved_about,
    skew,
    transform,
)
from autourdf_ros.parallel import on_all_cores

SCORE_CAP = 6.0  # point spacings
SHIFTED_POINTS = 1000  # about so many tell by how much a whole frame is shifted
TRUSTED = 1.35  # times the best score
LEAST_SAVED = 1.5  # mean cost that a lost piece saves its points where it is found again


@dataclass(frozen=True)
class Schedule:
    """How registration anneals: pairs are (start, end), in between geometric.

    smoothness: per mean number of points a node. point_weight: of point-to-point distances. gate:
    start in robot sizes, end in point spacings. breakable_from: share of the iterations after
    which edges may break.
    """

    iterations: int
    smoothness: tuple[float, float]
    point_weight: tuple[float, float]
    gate: tuple[float, float]
    breakable_from: float


LEAST_NOISE = 1e-3  # of the spacing
FROM_AFAR = Schedule(24, (30.0, 0.1), (0.5, 0.02), (0.10, 3.0), 0.5)
FROM_BESIDE = Schedule(16, (10.0, 0.1), (0.2, 0.02), (0.04, 3.0), 0.5)
FROM_NEARBY = Schedule(8, (1.0, 0.1), (0.05, 0.02), (0.02, 3.0), 0.0)


@dataclass(frozen=True)
class Tracking:
    """Where the nodes went, in F frames.

    poses: (F, K, 4, 4) motion of every node from the reference frame, in the fixed frame.
    scores: (F,) as `registration_score`.
    """

    poses: Array
    scores: Array

    @property
    def good(self) -> NDArray[np.bool_]:
        """(F,) frames up to the first that registered clearly worse than the best."""
        return np.logical_and.accumulate(self.scores < TRUSTED * self.scores.min())


def registration_score(moved: Array, frame: Cloud, spacing: float) -> float:
    """Mean two-way nearest-neighbour distance, capped at 6 spacings, over the spacing."""
    cap = SCORE_CAP * spacing
    there = frame.grid.query(moved, cap)[0]
    back = build_grid(moved, spacing).query(frame.points, cap)[0]
    return float((np.minimum(there, cap).mean() + np.minimum(back, cap).mean()) / (2 * spacing))


def align_translation(moved: Array, frame: Cloud, spacing: float, size: float) -> Array:
    """Robust translation (3,) that lays moved points (N, 3) on the frame: most points agree."""
    moved = moved[:: max(len(moved) // SHIFTED_POINTS, 1)]
    shift = np.zeros(3)
    for gate in np.geomspace(0.1 * size, 3 * spacing, 8):
        distances, nearest = frame.grid.query(moved + shift)
        offsets = frame.points[nearest] - moved - shift
        weights = geman_mcclure(distances, gate)
        shift = shift + (weights[:, None] * offsets).sum(0) / max(weights.sum(), 1e-12)
    return shift


def smoothness_equations(
    graph: DeformationGraph, poses: Array, weight: float, kernel: float | None
) -> tuple[Array, Array, Array]:
    """Equations that pull neighbours to one rigid motion.

    Residuals of an edge: both nodes' images of its mid-point, and radius times the difference
    of their rotations. Twists are about the moved centres. kernel: width (m) beyond which an
    edge gives way (Geman-McClure), or None. Returns the diagonal blocks (K, 6, 6), the edges'
    blocks (E, 6, 6) and the right side (K, 6).
    """
    count = len(graph.centres)
    first, second = graph.edges.T
    middle = (graph.centres[first] + graph.centres[second]) / 2
    moved = transform(poses, graph.centres)
    ends = transform(poses[first], middle), transform(poses[second], middle)
    gap = ends[0] - ends[1]
    turn = log_so3(poses[first, :3, :3] @ np.swapaxes(poses[second, :3, :3], 1, 2))
    weights = np.full(len(first), weight)
    if kernel is not None:
        size = np.sqrt((gap**2).sum(1) + graph.radius**2 * (turn**2).sum(1))
        weights = weights * geman_mcclure(size, kernel)
    residual = np.concatenate([gap, graph.radius * turn], axis=1)[..., None]
    one, other = (
        _edge_jacobian(end - moved[node], graph.radius)
        for node, end in zip((first, second), ends, strict=True)
    )
    left = np.swapaxes(one, 1, 2) * weights[:, None, None]
    right = np.swapaxes(other, 1, 2) * weights[:, None, None]
    nodes = np.concatenate([first, second])
    sums = group_sum(
        np.concatenate(
            [
                np.concatenate([left @ one, -left @ residual], axis=2),
                np.concatenate([right @ other, right @ residual], axis=2),
            ]
        ),
        nodes,
        count,
    )
    return sums[..., :6], -left @ other, sums[..., 6]


def _edge_jacobian(arms: Array, radius: float) -> Array:
    """How (end, radius * rotation) follow a node's twist (E, 6, 6); arms: (E, 3) from centres."""
    jacobian = np.zeros((len(arms), 6, 6))
    jacobian[:, :3, :3] = -skew(arms)
    jacobian[:, :3, 3:] = np.eye(3)
    jacobian[:, 3:, :3] = radius * np.eye(3)
    return jacobian


def register_frame(
    graph: DeformationGraph,
    reference: Cloud,
    frame: Cloud,
    poses: Array,
    size: float,
    schedule: Schedule = FROM_AFAR,
) -> Array:
    """Node poses (K, 4, 4) that lay the reference on the frame, started from `poses`.

    size: diagonal of the robot's bounding box (m).
    """
    count = len(graph.centres)
    spacing = max(reference.spacing, frame.spacing)
    points_per_node = 2 * len(reference.points) / count
    steps = schedule.iterations
    progress = np.linspace(0, 1, steps)
    smoothness = np.geomspace(*schedule.smoothness, steps) * points_per_node
    point_weights = np.geomspace(*schedule.point_weight, steps)
    gates = np.geomspace(schedule.gate[0] * size, schedule.gate[1] * spacing, steps)
    for i in range(steps):
        moved, normals = warped_surface(poses, graph.nodes, reference.points, reference.normals)
        matches = match(
            moved, normals, reference.flatness, frame, gate=2 * gates[i], kernel=gates[i]
        )
        centres = transform(poses, graph.centres)
        blocks, gradient = normal_equations(
            matches, graph.nodes[matches.source], centres, point_weight=point_weights[i]
        )
        kernel = None if progress[i] < schedule.breakable_from else 2 * gates[i]
        diagonal, coupling, pull = smoothness_equations(graph, poses, smoothness[i], kernel)
        diagonal += blocks + 1e-9 * points_per_node * np.eye(6)
        twists = solve_blocks(graph.layout, diagonal, coupling, gradient + pull)
        poses = moved_about(centres, twists, poses)
    return poses


def track_sequence(
    graph: DeformationGraph,
    reference: Cloud,
    frames: list[Cloud],
    size: float,
    report: Callable[[float], None],
) -> Tracking:
    """Track the reference through the frames of one sequence, in their order.

    The first frame may be the reference itself. Every frame starts from constant velocity
    and a robust translation of the whole; one that scores badly is tried again from no and from
    half the velocity.
    """
    count = len(graph.centres)
    poses = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    previous = poses
    found: list[Array] = []
    scores: list[float] = []
    for frame in frames:
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
        previous, poses = poses, best_poses
        found.append(poses)
        scores.append(best_score)
        report(len(scores) / len(frames))
    return Tracking(np.array(found), np.array(scores))


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


def node_bodies(
    graph: DeformationGraph, reference: Cloud, frames: list[Cloud], poses: Array
) -> Bodies:
    """The nodes, moved by poses (F, K, 4, 4), as pieces of surface and what they show."""

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
    """Robust standard deviation (m) of the point-to-plane distances left by poses (F, K, 4, 4).

    Of frames that are copies of each other it is small, not 0.
    """
    distances = []
    for frame, pose in zip(frames, poses, strict=True):
        matches = _near_matches(graph, reference, frame, pose)
        distances.append(np.abs(matches.distances[matches.weights > 0.3]))
    found = float(1.4826 * np.median(np.concatenate(distances)))
    return max(found, LEAST_NOISE * reference.spacing)


def size_of(points: NDArray[np.floating]) -> float:
    """Diagonal of the bounding box (m) of points (N, 3)."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))
