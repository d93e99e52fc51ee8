"""From tracked nodes to rigid bodies: how many there are, and which point belongs to which.

Merging (by what the surfaces can tell apart) and labelling (by which motion explains a point)
alternate while the stop of the merging rises. The body that moves as the whole frames do becomes
the root early, so that a shoulder on a round base cannot swallow it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from autourdf_ros.kinematics.cloud import Cloud
from autourdf_ros.kinematics.deformation_graph import touching_pairs
from autourdf_ros.kinematics.labelling import (
    COST_CAP,
    drop_specks,
    point_costs,
    refit_bodies,
    smooth_labels,
)
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.merging import Bodies, Noise, merge_bodies, separation
from autourdf_ros.kinematics.rigid_motion import (
    adjoint,
    from_translation,
    inverse,
    log_se3,
)

LEAST_GAIN = 0.35  # mean cost that a body must save each of its points, per frame
STOPS = (0.17, 0.33, 0.55, 1.0)  # shares of the last stop at which points are labelled in between
LABEL_ROUNDS = 2
LEAST_POINTS = 10
STEADY = np.radians(0.7)  # a body turning less than this, as far as seen, may be the root
STEADY_COST = 200.0  # and so may one whose turn is hardly visible: chi-square per frame


@dataclass(frozen=True)
class Segmentation:
    """B rigid bodies on the reference cloud.

    labels: (N,) body of every point. bodies: their motions and informations. root: the body
    that moves as the frames do. steady: whether the root does not turn. costs: chi-square per
    frame of every merge, in order, and of those not made.
    """

    labels: NDArray[np.int64]
    bodies: Bodies
    root: int
    steady: bool
    merged_costs: tuple[float, ...]
    kept_costs: tuple[float, ...]


def segment(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    labels: NDArray[np.int64],
    edges: NDArray[np.int64],
    neighbours: csr_matrix,
    *,
    noise: Noise,
    stop: float,
    count: int | None = None,
) -> Segmentation:
    """Rigid bodies from pieces of surface that were tracked through F frames.

    pieces: motions of the pieces; labels: (N,) piece of every point; edges: (E, 2) neighbouring
    pieces. stop: chi-square per frame up to which neighbours are merged. count: force so many.
    """
    gate = 4 * reference.spacing
    bodies = pieces
    root: int | None = None
    steady = False
    merged: list[float] = []
    for share in STOPS:
        owners, costs = merge_bodies(bodies, edges, share * stop, noise, locked=root)
        merged += costs
        labels = owners[labels]
        root = None if root is None else int(owners[root])
        poses = _representatives(bodies, owners)
        bodies, labels, root = _relabel(
            reference, frames, poses, labels, neighbours, gate, noise, root
        )
        if root is None:
            root, steady = find_root(reference.points, labels, bodies, noise.total)
            bodies = refit_bodies(
                reference,
                labels,
                frames,
                _lock(bodies.poses, root, steady),
                gate=gate,
                locked=root if steady else None,
            )
        edges = touching_pairs(labels, neighbours)
    bodies, labels, root, absorbed = _absorb(
        reference, frames, bodies, labels, neighbours, root, stop, noise, gate, steady
    )
    merged += absorbed
    bodies, labels, root = _dissolve(
        reference, frames, bodies, labels, neighbours, root, noise, gate, steady
    )
    if count is not None:
        bodies, labels, root = _force_count(
            reference, frames, bodies, labels, neighbours, root, count, noise, gate, steady
        )
    edges = touching_pairs(labels, neighbours)
    kept = np.sort(separation(bodies, edges[:, 0], edges[:, 1], noise)) if len(edges) else []
    return Segmentation(
        labels, bodies, root, steady, tuple(merged), tuple(float(cost) for cost in kept)
    )


def find_root(
    points: Array, labels: NDArray[np.int64], bodies: Bodies, noise: float
) -> tuple[int, bool]:
    """The body that turns least, as far as its surface shows, and whether it is steady.

    Of several steady ones the largest. Bodies whose surface could not show a turn of 5 degrees
    are left out.
    """
    count = bodies.poses.shape[1]
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    middles = np.stack(
        [
            np.bincount(labels[labels >= 0], points[labels >= 0, i], count) / np.maximum(sizes, 1)
            for i in range(3)
        ],
        axis=1,
    )
    shift = from_translation(middles)
    twists = log_se3(inverse(shift) @ bodies.poses @ shift)
    change = adjoint(shift)
    information = np.swapaxes(change, -1, -2) @ bodies.information @ change
    linear = information[..., 3:, 3:]
    ridge = 1e-6 * np.trace(linear, axis1=-2, axis2=-1)[..., None, None] * np.eye(
        3
    ) + 1e-30 * np.eye(3)
    coupling = np.linalg.solve(linear + ridge, information[..., 3:, :3])
    angular = information[..., :3, :3] - information[..., :3, 3:] @ coupling
    shown = np.trace(angular, axis1=-2, axis2=-1).mean(axis=0)
    turned = np.einsum("fbi,fbij,fbj->b", twists[..., :3], angular, twists[..., :3])
    turns = np.sqrt(np.maximum(turned, 0) / len(twists) / np.maximum(shown, 1e-30))
    telling = shown * np.radians(5) ** 2 > 100 * noise**2
    if not telling.any():
        telling[:] = True
    turns = np.where(telling, turns, np.inf)
    least = turns.min()
    candidates = turns <= max(1.5 * least, STEADY)
    root = int(np.argmax(np.where(candidates, sizes, -1)))
    turn_cost = turned[root] / (noise**2 * len(twists))
    return root, bool(turns[root] < STEADY or turn_cost < STEADY_COST)


def _representatives(bodies: Bodies, owners: NDArray[np.int64]) -> Array:
    """Poses (F, B', 4, 4) of merged bodies: of the member that shows most."""
    weight = np.trace(bodies.information, axis1=-2, axis2=-1).sum(axis=0)
    order = np.lexsort((-weight, owners))
    first = order[np.searchsorted(owners[order], np.arange(owners.max() + 1))]
    return bodies.poses[:, first]


def _relabel(
    reference: Cloud,
    frames: list[Cloud],
    poses: Array,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    gate: float,
    noise: Noise,
    root: int | None,
) -> tuple[Bodies, NDArray[np.int64], int | None]:
    """Refit and relabel in turns; bodies that lose all their points go."""
    for _ in range(LABEL_ROUNDS):
        bodies = refit_bodies(reference, labels, frames, poses, gate=gate, locked=root)
        costs = point_costs(reference, labels, frames, bodies.poses, noise=noise.total)
        labels = drop_specks(smooth_labels(costs, neighbours), neighbours, LEAST_POINTS)
        kept = np.unique(labels[labels >= 0])
        if root is not None and root not in kept:
            root = None
        poses = bodies.poses[:, kept]
        root = None if root is None else int(np.searchsorted(kept, root))
        labels = np.where(labels >= 0, np.searchsorted(kept, labels), -1)
    return refit_bodies(reference, labels, frames, poses, gate=gate, locked=root), labels, root


def needless(costs: Array, labels: NDArray[np.int64], root: int) -> int | None:
    """The body whose points its neighbours explain best without it, if nearly as well as itself.

    costs: (N, B) of every point under every body's motion.
    """
    gains = np.full(costs.shape[1], np.inf)
    for body in range(costs.shape[1]):
        own = costs[labels == body]
        if body == root or not len(own):
            continue
        others = np.delete(own, body, axis=1).min(axis=1, initial=COST_CAP)
        gains[body] = np.mean(others - np.minimum(own[:, body], COST_CAP))
    weakest = int(gains.argmin())
    return weakest if gains[weakest] < LEAST_GAIN else None


def _dissolve(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    root: int,
    noise: Noise,
    gate: float,
    steady: bool,
) -> tuple[Bodies, NDArray[np.int64], int]:
    """Give the points of needless bodies to their neighbours, one body at a time."""
    while bodies.poses.shape[1] > 1:
        costs = point_costs(reference, labels, frames, bodies.poses, noise=noise.total)
        weakest = needless(costs, labels, root)
        if weakest is None:
            break
        left = np.delete(np.arange(bodies.poses.shape[1]), weakest)
        labels = smooth_labels(costs[:, left], neighbours)
        root = int(np.searchsorted(left, root))
        bodies = refit_bodies(
            reference,
            labels,
            frames,
            bodies.poses[:, left],
            gate=gate,
            locked=root if steady else None,
        )
    return bodies, labels, root


def _lock(poses: Array, root: int, steady: bool) -> Array:
    if not steady:
        return poses
    result = poses.copy()
    result[:, root, :3, :3] = np.eye(3)
    return result


def _absorb(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    root: int,
    stop: float,
    noise: Noise,
    gate: float,
    steady: bool,
) -> tuple[Bodies, NDArray[np.int64], int, list[float]]:
    """Let the root take the neighbours that move with it."""
    absorbed: list[float] = []
    while True:
        edges = touching_pairs(labels, neighbours)
        own = edges[(edges == root).any(axis=1)]
        costs = separation(bodies, own[:, 0], own[:, 1], noise)
        if not len(costs) or costs.min() > stop:
            return bodies, labels, root, absorbed
        absorbed.append(float(costs.min()))
        bodies, labels, root = _unite(
            reference, frames, bodies, labels, root, own[costs.argmin()], gate, steady
        )


def _force_count(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    neighbours: csr_matrix,
    root: int,
    count: int,
    noise: Noise,
    gate: float,
    steady: bool,
) -> tuple[Bodies, NDArray[np.int64], int]:
    """Unite the most alike neighbours until only `count` bodies are left."""
    while bodies.poses.shape[1] > count:
        edges = touching_pairs(labels, neighbours)
        if not len(edges):
            break
        pair = edges[separation(bodies, edges[:, 0], edges[:, 1], noise).argmin()]
        bodies, labels, root = _unite(reference, frames, bodies, labels, root, pair, gate, steady)
    return bodies, labels, root


def _unite(
    reference: Cloud,
    frames: list[Cloud],
    bodies: Bodies,
    labels: NDArray[np.int64],
    root: int,
    pair: NDArray[np.int64],
    gate: float,
    steady: bool,
) -> tuple[Bodies, NDArray[np.int64], int]:
    keep, gone = (pair if pair[1] != root else pair[::-1]).tolist()
    owners = np.arange(bodies.poses.shape[1])
    owners[gone] = keep
    kept, owners = np.unique(owners, return_inverse=True)
    labels = np.where(labels >= 0, owners[labels], -1)
    root = int(owners[root])
    bodies = refit_bodies(
        reference,
        labels,
        frames,
        bodies.poses[:, kept],
        gate=gate,
        locked=root if steady else None,
    )
    return bodies, labels, root
