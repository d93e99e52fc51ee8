"""The kinematic tree: which body hangs on which, by which joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import (
    breadth_first_order,
    connected_components,
    minimum_spanning_tree,
)
from scipy.spatial import cKDTree

from autourdf_ros.kinematics.joint_fit import fit_prismatic, fit_revolute, relative_motion
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.merging import Bodies

GAP_COST = 200.0  # chi-square per squared excess gap, in point spacings
WORST_COST = 1e12
EXPLAINED = 0.04  # share of a joint's values that a motor may leave unexplained
UNEXPLAINED_COST = 30.0  # times which a joint costs that no motor explains
PRISMATIC_BONUS = 1.3  # a prismatic joint must not need to be better: it has fewer parameters


@dataclass(frozen=True)
class KinematicTree:
    """J joints in an order in which parents come before children; B = J + 1 bodies, 0 the root.

    bodies: (B,) label of every body in the segmentation, in the tree's order.
    parents: (J,) body (tree order) that joint j hangs on; its child is body j + 1.
    twists: (J, 6) unit screw axes at the reference frame. revolute: (J,) bool.
    values: (F, J). costs: (J,) chi-square of the joint's fit. margins: (J,) ratio of the cost of
    the second-best parent to the best one's. misfits: (J,) share of the joint's values that no
    single motor's readings explain, 0 where there are no readings.
    """

    bodies: NDArray[np.int64]
    parents: NDArray[np.int64]
    twists: Array
    revolute: NDArray[np.bool_]
    values: Array
    costs: Array
    margins: Array
    misfits: Array


def body_gaps(points: Array, labels: NDArray[np.int64], count: int) -> Array:
    """Smallest distances (B, B) between the points (N, 3) of bodies; labels (N,)."""
    gaps = np.zeros((count, count))
    trees = [cKDTree(points[labels == body]) for body in range(count)]
    for a in range(count):
        for b in range(a):
            distances = trees[a].query(trees[b].data, workers=-1)[0]
            # Not the very least, which one mislabelled point would decide.
            near = np.partition(distances, min(4, len(distances) - 1))
            gaps[a, b] = gaps[b, a] = near[min(4, len(distances) - 1)]
    return gaps


def build_tree(
    bodies: Bodies,
    gaps: Array,
    *,
    root: int,
    noise: float,
    spacing: float,
    readings: Array | None = None,
) -> KinematicTree:
    """Minimum spanning tree over the costs of joints between all pairs of bodies.

    gaps: (B, B) metres between bodies. root: the body that everything hangs on. readings: (F, M)
    of the motors, relative to the reference frame: a joint that one motor explains is likelier.
    """
    count = bodies.poses.shape[1]
    first, second = np.triu_indices(count, 1)
    motion, metric = relative_motion(bodies, first, second)
    revolute = fit_revolute(motion, metric)
    prismatic = fit_prismatic(motion, metric)
    slides = prismatic.costs < PRISMATIC_BONUS * revolute.costs
    fit_costs = np.where(slides, prismatic.costs, revolute.costs) / noise**2
    fit_costs = np.where(np.isfinite(fit_costs), np.maximum(fit_costs, 0.0), WORST_COST)
    excess = np.maximum(gaps[first, second] / spacing - 2.0, 0)
    costs = fit_costs + GAP_COST * excess**2
    misfits = np.zeros(len(first))
    if readings is not None:
        values = np.where(slides, prismatic.values, revolute.values)
        misfits = motor_misfits(values, readings)
        costs = costs * np.where(misfits < EXPLAINED, 1.0, UNEXPLAINED_COST)
    weights = np.zeros((count, count))
    # What is below 1e-8 is no edge to scipy, and the tree would fall to pieces.
    weights[first, second] = np.log1p(costs) + 1e-6
    weights = np.maximum(weights, weights.T)
    tree = minimum_spanning_tree(weights).toarray()
    order, predecessors = breadth_first_order(np.maximum(tree, tree.T), root, directed=False)
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    children = order[1:]
    parents = predecessors[children]
    motion, metric = relative_motion(bodies, parents, children)
    pair_index = np.zeros((count, count), dtype=np.int64)
    pair_index[first, second] = pair_index[second, first] = np.arange(len(first))
    chosen = pair_index[parents, children]
    revolute, prismatic = fit_revolute(motion, metric), fit_prismatic(motion, metric)
    turns = ~slides[chosen]
    return KinematicTree(
        order.astype(np.int64),
        place[parents],
        np.where(turns[:, None], revolute.twists, prismatic.twists),
        turns,
        np.where(turns, revolute.values, prismatic.values),
        fit_costs[chosen],
        _margins(weights, np.maximum(tree, tree.T) > 0, parents, children),
        misfits[chosen],
    )


def motor_misfits(values: Array, readings: Array) -> Array:
    """Least share (P,) of joint values (F, P) that a multiple of one motor (F, M) leaves.

    Root mean square of the rest over that of the values; 1 where no motor moved.
    """
    energy = np.einsum("fm,fm->m", readings, readings)
    product = np.einsum("fp,fm->pm", values, readings)
    size = np.maximum(np.einsum("fp,fp->p", values, values), 1e-30)
    explained = product**2 / np.maximum(energy, 1e-30)
    rest = 1 - explained.max(axis=1, initial=0.0) / size
    return np.sqrt(np.maximum(rest, 0.0))


def _margins(weights: Array, edges: NDArray[np.bool_], parents: Array, children: Array) -> Array:
    """Ratio by which the cheapest other edge that reconnects the tree is worse, per joint."""
    result = np.full(len(parents), np.inf)
    for j, (parent, child) in enumerate(zip(parents, children, strict=True)):
        cut = edges.copy()
        cut[parent, child] = cut[child, parent] = False
        side = connected_components(cut, directed=False)[1]
        other = (side[:, None] != side[None]) & ~edges
        if other.any():
            result[j] = np.exp(weights[other].min() - weights[parent, child])
    return result
