"""Register a deformation graph to one frame.

Gauss-Newton on one rigid motion a node: two-way robust point-to-plane distances (a little
point-to-point to hold what slides) and as-rigid-as-possible smoothness between neighbours, both
annealed from nearly rigid and far-sighted to loose and near-sighted, where edges may break.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.block_banded import solve_blocks
from autourdf_ros.estimation.common.normal_equations import normal_equations
from autourdf_ros.estimation.common.surface_matching import geman_mcclure, match, warped_surface
from autourdf_ros.estimation.motion.registration.deformation_graph import DeformationGraph
from autourdf_ros.geometry.arrays import Array, group_sum
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import (
    log_so3,
    moved_about,
    skew,
    transform,
)

SCORE_CAP = 6.0  # point spacings
SHIFTED_POINTS = 1000  # about so many determine by how much a whole frame is shifted


@dataclass(frozen=True)
class Schedule:
    """How registration anneals: pairs are (start, end), geometric in between.

    Attributes:
        iterations: how many.
        smoothness: weight, per mean number of points a node.
        point_weight: of point-to-point distances.
        gate: start in robot sizes, end in point spacings.
        breakable_from: share of the iterations after which edges may break.
    """

    iterations: int
    smoothness: tuple[float, float]
    point_weight: tuple[float, float]
    gate: tuple[float, float]
    breakable_from: float


FROM_AFAR = Schedule(24, (30.0, 0.1), (0.5, 0.02), (0.10, 3.0), 0.5)
FROM_BESIDE = Schedule(16, (10.0, 0.1), (0.2, 0.02), (0.04, 3.0), 0.5)
FROM_NEARBY = Schedule(8, (1.0, 0.1), (0.05, 0.02), (0.02, 3.0), 0.0)


def registration_score(moved: Array, frame: Cloud, spacing: float) -> float:
    """Return the mean two-way nearest-neighbour distance over the spacing, capped at 6 spacings.

    Args:
        moved: (N, 3) points.
        frame: the frame.
        spacing: typical distance between neighbouring points.
    """
    cap = SCORE_CAP * spacing
    there = frame.grid.query(moved, cap)[0]
    back = build_grid(moved, spacing).query(frame.points, cap)[0]
    return float((np.minimum(there, cap).mean() + np.minimum(back, cap).mean()) / (2 * spacing))


def align_translation(moved: Array, frame: Cloud, spacing: float, size: float) -> Array:
    """Return the robust translation (3,) that lays most moved points on the frame.

    Args:
        moved: (N, 3) points.
        frame: the frame.
        spacing: typical distance between neighbouring points.
        size: diagonal of the robot's bounding box.
    """
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
    """Return the equations that pull neighbours to one rigid motion.

    Residuals of an edge: both nodes' images of its mid-point, and radius times the difference of
    their rotations. Twists are about the moved centres.

    Args:
        graph: K nodes and E edges.
        poses: (K, 4, 4) of the nodes.
        weight: of the residuals.
        kernel: width (m) beyond which an edge gives way (Geman-McClure), or None.

    Returns:
        The diagonal blocks (K, 6, 6), the edges' blocks (E, 6, 6) and the right side (K, 6).
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
    """Register the reference to one frame.

    Args:
        graph: K nodes on the reference.
        reference: the reference cloud.
        frame: the frame.
        poses: (K, 4, 4) of the nodes to start from.
        size: diagonal of the robot's bounding box.
        schedule: of the annealing.

    Returns:
        Node poses (K, 4, 4).
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
