"""Join bodies to a tree: which body hangs on which, by which joint."""

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

from autourdf_ros.estimation.common.joint_fit import fit_prismatic, fit_revolute, relative_motion
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.common.screw_chain import ScrewChain
from autourdf_ros.geometry.arrays import Array

GAP_COST = 200.0  # chi-square per squared excess gap, in point spacings
WORST_COST = 1e12
EXPLAINED = 0.04  # share of a joint's values that a motor may leave unexplained
UNEXPLAINED_COST = 30.0  # times which a joint costs that no motor explains
PRISMATIC_BONUS = 1.3  # a prismatic joint must not need to be better: it has fewer parameters


@dataclass(frozen=True)
class MotorFits:
    """The motor that explains the values of each of J joints best: value = ratio * reading.

    Attributes:
        columns: (J,) of the readings, -1 where there are none.
        ratios: (J,) rad or robot sizes a unit of the reading.
        unexplained_shares: (J,) share of the values that it leaves, 0 where there are no readings.
    """

    columns: NDArray[np.int64]
    ratios: Array
    unexplained_shares: Array

    def of(self, joints: NDArray[np.int64]) -> MotorFits:
        """Return those of some joints."""
        return MotorFits(self.columns[joints], self.ratios[joints], self.unexplained_shares[joints])

    def with_fit(self, joint: int, fit: MotorFits) -> MotorFits:
        """Return it with another motor of a joint.

        Args:
            joint: its number.
            fit: the motor of one joint.
        """
        columns, ratios = self.columns.copy(), self.ratios.copy()
        shares = self.unexplained_shares.copy()
        columns[joint], ratios[joint] = fit.columns[0], fit.ratios[0]
        shares[joint] = fit.unexplained_shares[0]
        return MotorFits(columns, ratios, shares)


@dataclass(frozen=True)
class CandidateTree:
    """J joints in an order in which parents come before children; B = J + 1 bodies, 0 the root.

    Not the model's `KinematicTree`: it holds the fits by which the search compares trees, as arrays
    in robot sizes.

    Attributes:
        bodies: (B,) label of every body in the segmentation, in the tree's order.
        parents: (J,) body (tree order) that joint j hangs on; its child is body j + 1.
        twists: (J, 6) unit screw axes at the reference frame.
        revolute: (J,) bool, else prismatic.
        values: (F, J) of the joints.
        costs: (J,) chi-square of the joint's fit.
        margins: (J,) ratio of the cost of the second-best parent to the best one's.
        motors: of the joints.
    """

    bodies: NDArray[np.int64]
    parents: NDArray[np.int64]
    twists: Array
    revolute: NDArray[np.bool_]
    values: Array
    costs: Array
    margins: Array
    motors: MotorFits


def body_gaps(points: Array, labels: NDArray[np.int64], count: int) -> Array:
    """Return the smallest distances (B, B) between the points of bodies.

    Args:
        points: (N, 3).
        labels: (N,) body of every point.
        count: number of bodies.
    """
    gaps = np.zeros((count, count))
    trees = [cKDTree(points[labels == body]) for body in range(count)]
    for a in range(count):
        for b in range(a):
            distances = trees[a].query(trees[b].data)[0]
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
) -> CandidateTree:
    """Build the minimum spanning tree over the costs of joints between all pairs of bodies.

    Args:
        bodies: B bodies in F frames.
        gaps: (B, B) distances between them.
        root: number of the body that everything hangs on.
        noise: standard deviation by which fits are weighed.
        spacing: typical distance between neighbouring points.
        readings: (F, M) of the motors, relative to the reference frame: a joint that one motor
            explains is likelier.
    """
    pairs = fit_pairs(bodies, gaps, noise=noise, spacing=spacing, readings=readings)
    tree = minimum_spanning_tree(pairs.weights).toarray()
    order, predecessors = breadth_first_order(np.maximum(tree, tree.T), root, directed=False)
    place = np.empty(len(gaps), dtype=np.int64)
    place[order] = np.arange(len(gaps))
    children = order[1:]
    parents = predecessors[children]
    motion, metric = relative_motion(bodies, parents, children)
    chosen = pairs.index[parents, children]
    revolute, prismatic = fit_revolute(motion, metric), fit_prismatic(motion, metric)
    turns = ~pairs.slides[chosen]
    return CandidateTree(
        order.astype(np.int64),
        place[parents],
        np.where(turns[:, None], revolute.twists, prismatic.twists),
        turns,
        np.where(turns, revolute.values, prismatic.values),
        pairs.costs[chosen],
        _margins(pairs, parents, children),
        pairs.motors.of(chosen),
    )


@dataclass(frozen=True)
class PairFits:
    """The likelier joint between every two of B bodies; P = B (B - 1) / 2 pairs.

    Attributes:
        index: (B, B) pair of two bodies.
        slides: (P,) whether it is prismatic.
        costs: (P,) chi-square of its fit.
        motors: of the P joints.
        weights: (B, B) log cost, with the gap's.
    """

    index: NDArray[np.int64]
    slides: NDArray[np.bool_]
    costs: Array
    motors: MotorFits
    weights: Array


def fit_pairs(
    bodies: Bodies, gaps: Array, *, noise: float, spacing: float, readings: Array | None
) -> PairFits:
    """Fit both types of joint between all pairs of bodies; arguments as of `build_tree`."""
    count = len(gaps)
    first, second = np.triu_indices(count, 1)
    motion, metric = relative_motion(bodies, first, second)
    revolute = fit_revolute(motion, metric)
    prismatic = fit_prismatic(motion, metric)
    slides = prismatic.costs < PRISMATIC_BONUS * revolute.costs
    fit_costs = np.where(slides, prismatic.costs, revolute.costs) / noise**2
    fit_costs = np.where(np.isfinite(fit_costs), np.maximum(fit_costs, 0.0), WORST_COST)
    excess = np.maximum(gaps[first, second] / spacing - 2.0, 0)
    costs = fit_costs + GAP_COST * excess**2
    motors = motor_fits(np.where(slides, prismatic.values, revolute.values), readings)
    costs = costs * np.where(motors.unexplained_shares < EXPLAINED, 1.0, UNEXPLAINED_COST)
    weights = np.zeros((count, count))
    # What is below 1e-8 is no edge to scipy, and the tree would fall to pieces.
    weights[first, second] = np.log1p(costs) + 1e-6
    index = np.zeros((count, count), dtype=np.int64)
    index[first, second] = index[second, first] = np.arange(len(first))
    return PairFits(index, slides, fit_costs, motors, np.maximum(weights, weights.T))


def chain_tree(
    chain: ScrewChain,
    bodies: Bodies,
    gaps: Array,
    *,
    noise: float,
    spacing: float,
    readings: Array,
) -> CandidateTree:
    """Return the tree that a chain already is.

    Its costs show how well each joint fits the bodies' motions, its margins whether another tree
    would have fitted them better.

    Args:
        chain: J joints.
        bodies: motions of its bodies as their surfaces show them without it.
        gaps: (B, B) distances between them.
        noise: standard deviation by which fits are weighed.
        spacing: typical distance between neighbouring points.
        readings: (F, M) of the motors.
    """
    pairs = fit_pairs(bodies, gaps, noise=noise, spacing=spacing, readings=readings)
    parents = np.array(chain.parents, dtype=np.int64)
    children = np.arange(1, len(parents) + 1)
    revolute = np.array([kind == "revolute" for kind in chain.types])
    ratios = chain.ratios
    return CandidateTree(
        np.arange(len(gaps)),
        parents,
        chain.twists / ratios[:, None],
        revolute,
        readings[:, list(chain.motors)] * ratios,
        pairs.costs[pairs.index[parents, children]],
        _margins(pairs, parents, children),
        MotorFits(np.array(chain.motors), ratios, np.zeros(len(parents))),
    )


def margins_of(
    parents: NDArray[np.int64],
    bodies: Bodies,
    gaps: Array,
    *,
    noise: float,
    spacing: float,
    readings: Array | None = None,
) -> Array:
    """Return the margins (J,), as of `CandidateTree`, of a tree.

    Args:
        parents: (J,) of the tree.
        bodies: in the tree's order.
        gaps: (B, B) distances between them.
        noise: standard deviation by which fits are weighed.
        spacing: typical distance between neighbouring points.
        readings: (F, M) of the motors, if there are any.
    """
    pairs = fit_pairs(bodies, gaps, noise=noise, spacing=spacing, readings=readings)
    return _margins(pairs, parents, np.arange(1, len(parents) + 1))


def motor_fits(values: Array, readings: Array | None) -> MotorFits:
    """Fit each joint's values by a multiple of one motor's readings.

    What a motor leaves unexplained is the root mean square of the rest over that of the values.

    Args:
        values: (F, P) of the joints.
        readings: (F, M) of the motors, or None.
    """
    count = values.shape[1]
    if readings is None or not readings.shape[1]:
        return MotorFits(np.full(count, -1), np.zeros(count), np.zeros(count))
    energy = np.maximum(np.einsum("fm,fm->m", readings, readings), 1e-30)
    product = np.einsum("fp,fm->pm", values, readings)
    size = np.maximum(np.einsum("fp,fp->p", values, values), 1e-30)
    explained = product**2 / energy
    best = explained.argmax(axis=1)
    rest = 1 - explained.max(axis=1) / size
    ratios = np.take_along_axis(product / energy, best[:, None], axis=1)[:, 0]
    return MotorFits(best, ratios, np.sqrt(np.maximum(rest, 0.0)))


def _margins(pairs: PairFits, parents: NDArray[np.int64], children: NDArray[np.int64]) -> Array:
    """Ratio by which the cheapest other edge that reconnects the tree is worse, per joint.

    A motor turns one joint: one that turns another already explains no other edge. A round link
    turns about its parent's axis as well as about its own, as far as its surface shows.
    """
    edges = np.zeros(pairs.weights.shape, dtype=bool)
    edges[parents, children] = edges[children, parents] = True
    motors = np.where(pairs.motors.unexplained_shares < EXPLAINED, pairs.motors.columns, -1)
    unexplained = np.log1p(UNEXPLAINED_COST * np.expm1(pairs.weights))
    own = motors[pairs.index[parents, children]]
    result = np.full(len(parents), np.inf)
    for j, (parent, child) in enumerate(zip(parents, children, strict=True)):
        cut = edges.copy()
        cut[parent, child] = cut[child, parent] = False
        side = connected_components(cut, directed=False)[1]
        other = (side[:, None] != side[None]) & ~edges
        if other.any():
            used = np.setdiff1d(np.delete(own, j), own[[j]])
            taken = np.isin(motors, used[used >= 0])[pairs.index]
            weights = np.where(taken, unexplained, pairs.weights)
            result[j] = np.exp(weights[other].min() - pairs.weights[parent, child])
    return result
