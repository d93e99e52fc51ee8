"""Fit a chain of revolute joints to the relative motion of two bodies that it joins.

The links between them need not be seen. The chain moves the child by D = exp(xi_1 q_1) ...
exp(xi_n q_n) from the reference frame; the left error e = log(T D^-1) is weighted by what both
surfaces show of it and minimised by Levenberg-Marquardt over the lines, from which the values are
eliminated frame by frame (Schur complement), from many starts at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from autourdf_ros.estimation.common.joint_fit import line_perturbations, line_point, normalise
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, inverse, log_se3, revolute_twist

ITERATIONS = 25
ANGLES = 6  # of starting axes in the plane in which two joints mostly turn
TILTS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0), (0.0, 0.6, 0.8))
LARGEST_STEP = 0.4  # rad or robot sizes
RIDGE = 1e-12


@dataclass(frozen=True)
class ChainFit:
    """n revolute joints in a row, from the parent's to the child's.

    Attributes:
        twists: (n, 6) unit screw axes in the reference frame.
        values: (F, n) rad.
        costs: (F,) weighted squared error.
    """

    twists: Array
    values: Array
    costs: Array


def fit_chain(motion: Array, metric: Array, length: int) -> ChainFit:
    """Fit the best chain of `length` joints, from many starts.

    Starts turn about the point that moves least, about axes in the directions about which the child
    turns most.

    Args:
        motion: (F, 4, 4) relative motions of the two bodies.
        metric: (F, 6, 6) of left errors.
        length: number of joints, 2 or more.
    """
    vectors = log_se3(motion)[:, :3]
    frame = np.linalg.eigh(vectors.T @ vectors)[1].T[::-1]
    axes = _starting_axes(frame, length)
    left = np.eye(3) - motion[:, :3, :3]
    normal = np.einsum("fki,fkj->ij", left, left)
    normal += (1e-6 * np.trace(normal) + 1e-15) * np.eye(3)
    point = np.linalg.solve(normal, np.einsum("fki,fk->i", left, motion[:, :3, 3]))
    twists = revolute_twist(axes, np.broadcast_to(point, axes.shape))
    values = np.einsum("sik,fk->sfi", np.swapaxes(np.linalg.pinv(axes, rcond=1e-3), 1, 2), vectors)
    return _refined(twists, values, motion, metric)


def _starting_axes(frame: Array, length: int) -> Array:
    """Axes (S, n, 3) of all starts; frame: (3, 3) directions, the most turned about first."""
    if length == 2:
        angles = np.arange(ANGLES) * np.pi / ANGLES
        around = np.cos(angles)[:, None] * frame[0] + np.sin(angles)[:, None] * frame[1]
        choices = [around] * 2
    else:
        choices = [np.array(TILTS) @ frame] * length
    numbers = product(*[range(len(choice)) for choice in choices])
    chosen = [row for row in numbers if all(a != b for a, b in pairwise(row))]
    return np.array([[choices[i][k] for i, k in enumerate(row)] for row in chosen])


def _refined(twists: Array, values: Array, motion: Array, metric: Array) -> ChainFit:
    """The best of S chains, twists (S, n, 6) and values (S, F, n), each improved."""
    costs = _costs(twists, values, motion, metric)
    damping = np.full(len(twists), 1e-4)
    for _ in range(ITERATIONS):
        tried = _stepped(twists, values, motion, metric, damping)
        reached = _costs(*tried, motion, metric)
        better = reached.sum(axis=1) < costs.sum(axis=1)
        twists = np.where(better[:, None, None], tried[0], twists)
        values = np.where(better[:, None, None], tried[1], values)
        costs = np.where(better[:, None], reached, costs)
        damping = np.clip(np.where(better, damping * 0.3, damping * 8), 1e-12, 1e3)
    best = int(costs.sum(axis=1).argmin())
    return ChainFit(twists[best], values[best], costs[best])


def _motions(twists: Array, values: Array) -> tuple[list[Array], Array]:
    """Motions (S, F, 4, 4) of the chain before each joint, and of all of it."""
    before = [np.broadcast_to(np.eye(4), (*values.shape[:2], 4, 4))]
    for i in range(twists.shape[1]):
        before.append(before[-1] @ exp_se3(twists[:, None, i] * values[..., i : i + 1]))
    return before[:-1], before[-1]


def _costs(twists: Array, values: Array, motion: Array, metric: Array) -> Array:
    """Weighted squared errors (S, F)."""
    errors = log_se3(motion @ inverse(_motions(twists, values)[1]))
    costs = np.einsum("sfi,fij,sfj->sf", errors, metric, errors)
    return np.where(np.isfinite(costs), costs, np.inf)


def _stepped(
    twists: Array, values: Array, motion: Array, metric: Array, damping: Array
) -> tuple[Array, Array]:
    """Twists and values one damped Gauss-Newton step on."""
    starts, length = twists.shape[:2]
    before, reached = _motions(twists, values)
    errors = log_se3(motion @ inverse(reached))
    basis = line_perturbations(twists, line_point(twists), np.ones((starts, length), dtype=bool))
    rates, lines = [], []
    for i, start in enumerate(before):
        change = adjoint(start)
        turned = adjoint(exp_se3(twists[:, None, i] * values[..., i : i + 1]))
        rates.append(np.einsum("sfij,sj->sfi", change, twists[:, i]))
        lines.append(change @ ((np.eye(6) - turned) @ basis[:, None, i]))
    rate, line = np.stack(rates, axis=-1), np.concatenate(lines, axis=-1)
    weighed = np.swapaxes(metric @ rate, -1, -2)
    within = weighed @ rate
    # Of two joints about one axis the sum alone is known, however much is seen of it.
    known = np.trace(within, axis1=-2, axis2=-1)[..., None, None]
    inner = np.linalg.inv(within + RIDGE * (1.0 + known) * np.eye(length))
    cross = weighed @ line
    pull = np.einsum("sfai,sfi->sfa", weighed, errors)
    system = np.einsum("sfia,fij,sfjb->sab", line, metric, line, optimize=True)
    system -= np.einsum("sfca,sfcd,sfdb->sab", cross, inner, cross, optimize=True)
    right = np.einsum("sfia,fij,sfj->sa", line, metric, errors, optimize=True)
    right -= np.einsum("sfca,sfcd,sfd->sa", cross, inner, pull, optimize=True)
    scale = np.trace(system, axis1=1, axis2=2)
    ridge = (damping * scale + RIDGE)[:, None, None] * np.eye(4 * length)
    step = np.linalg.solve(system + ridge, right[..., None])[..., 0]
    step = np.clip(step, -LARGEST_STEP, LARGEST_STEP)
    change = np.einsum("snij,snj->sni", basis, step.reshape(starts, length, 4))
    left = pull - np.einsum("sfca,sa->sfc", cross, step)
    turned = np.einsum("snij,snj->sni", adjoint(exp_se3(change)), twists)
    return normalise(turned), values + np.einsum("sfcd,sfd->sfc", inner, left)
