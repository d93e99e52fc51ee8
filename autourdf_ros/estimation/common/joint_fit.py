"""Fit a joint to the relative motion of two bodies, information-weighted, many pairs at once.

A joint moves the child by D(q) = exp(xi q) from the reference frame; revolute: xi = (u, p x u),
prismatic: xi = (0, u). The left error e = log(D D(q)^-1) is weighted by what both surfaces show
of it, and minimised by Gauss-Newton over the line and, frame by frame, the joint's value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.rigid_bodies import Bodies, parallel_sum, to_reference
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import (
    adjoint,
    cross,
    exp_se3,
    inverse,
    log_se3,
    revolute_twist,
)

ITERATIONS = 8


@dataclass(frozen=True)
class JointFit:
    """P joints of one type fitted to F frames.

    Attributes:
        type: of all of them.
        twists: (P, 6) unit screw axes in the reference frame.
        values: (F, P) rad or m.
        costs: (P,) weighted squared error (squared metres).
    """

    type: Literal["revolute", "prismatic"]
    twists: Array
    values: Array
    costs: Array


def across_basis(axes: Array) -> Array:
    """Return two unit vectors (..., 2, 3) orthogonal to unit vectors (..., 3) and one another."""
    helper = np.zeros_like(axes)
    np.put_along_axis(helper, np.abs(axes).argmin(-1)[..., None], 1.0, axis=-1)
    first = cross(axes, helper)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, cross(axes, first)], axis=-2)


def line_point(twists: Array) -> Array:
    """Return the point (..., 3) of a revolute axis nearest to the origin, by twists (..., 6)."""
    return cross(twists[..., :3], twists[..., 3:])


def on_axes(twists: Array, points: Array, revolute: NDArray[np.bool_]) -> Array:
    """Return the nearest points (..., 3) on joints' axes to given points.

    Args:
        twists: (..., 6) unit screw axes.
        points: (..., 3).
        revolute: (...) bool; a prismatic joint has no axis, and its point stays.
    """
    axes, feet = twists[..., :3], line_point(twists)
    along = np.sum((points - feet) * axes, axis=-1, keepdims=True)
    return np.where(revolute[..., None], feet + along * axes, points)


def line_perturbations(twists: Array, points: Array, revolute: NDArray[np.bool_]) -> Array:
    """Return the twists (..., 6, 4) that move joints' lines: two turns and two shifts across.

    Args:
        twists: (..., 6) unit screw axes.
        points: (..., 3) about which the lines turn.
        revolute: (...) bool; a prismatic joint only turns, and its shifts are zero.
    """
    directions = np.where(revolute[..., None], twists[..., :3], twists[..., 3:])
    basis = across_basis(directions)
    turns = revolute_twist(basis, points[..., None, :])
    shifts = np.concatenate([np.zeros_like(basis), basis], axis=-1)
    shifts = shifts * revolute[..., None, None]
    return np.swapaxes(np.concatenate([turns, shifts], axis=-2), -1, -2)


def relative_motion(
    bodies: Bodies, parents: np.ndarray, children: np.ndarray
) -> tuple[Array, Array]:
    """Return how pairs of bodies move against each other.

    Args:
        bodies: B bodies in F frames.
        parents: (P,) numbers of the parents.
        children: (P,) numbers of the children.

    Returns:
        Relative motions (F, P, 4, 4), and the metric (F, P, 6, 6) that weighs their left errors, in
        the parent's reference frame.
    """
    motion = inverse(bodies.poses[:, parents]) @ bodies.poses[:, children]
    moved = to_reference(inverse(motion), bodies.information[:, children])
    return motion, parallel_sum(bodies.information[:, parents], moved)


def fit_revolute(motion: Array, metric: Array) -> JointFit:
    """Fit revolute joints to relative motions (F, P, 4, 4) with metrics (F, P, 6, 6)."""
    vectors = log_se3(motion)[..., :3]
    scatter = np.einsum("fpi,fpj->pij", vectors, vectors)
    axes = np.linalg.eigh(scatter)[1][:, :, 2]
    values = np.einsum("fpi,pi->fp", vectors, axes)
    # (I - R) p = t holds on the axis; the direction along it is free.
    left = np.eye(3) - motion[..., :3, :3]
    normal = np.einsum("fpki,fpkj->pij", left, left)
    normal += 1e-9 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(3) + 1e-15 * np.eye(
        3
    )
    right = np.einsum("fpki,fpk->pi", left, motion[..., :3, 3])
    points = np.linalg.solve(normal, right[..., None])[..., 0]
    return refine("revolute", revolute_twist(axes, points), values, motion, metric)


def fit_prismatic(motion: Array, metric: Array) -> JointFit:
    """Fit prismatic joints to relative motions (F, P, 4, 4) with metrics (F, P, 6, 6)."""
    translations = motion[..., :3, 3]
    scatter = np.einsum("fpi,fpj->pij", translations, translations)
    axes = np.linalg.eigh(scatter)[1][:, :, 2]
    values = np.einsum("fpi,pi->fp", translations, axes)
    twists = np.concatenate([np.zeros_like(axes), axes], axis=1)
    return refine("prismatic", twists, values, motion, metric)


def refine(
    kind: Literal["revolute", "prismatic"],
    twists: Array,
    values: Array,
    motion: Array,
    metric: Array,
) -> JointFit:
    """Refine joints of one type by damped Gauss-Newton.

    Args:
        kind: type of the joints.
        twists: (P, 6) unit twists to start from.
        values: (F, P) values to start from.
        motion: (F, P, 4, 4) relative motions.
        metric: (F, P, 6, 6) of their left errors.
    """
    pairs = len(twists)
    revolute = np.full(pairs, kind == "revolute")
    best = JointFit(kind, twists, values, np.full(pairs, np.inf))
    damping = np.full(pairs, 1e-6)
    for _ in range(ITERATIONS):
        displaced = exp_se3(twists * values[..., None])
        errors = log_se3(motion @ inverse(displaced))
        costs = np.einsum("fpi,fpij,fpj->p", errors, metric, errors)
        better = costs < best.costs
        best = JointFit(
            kind,
            np.where(better[:, None], twists, best.twists),
            np.where(better, values, best.values),
            np.where(better, costs, best.costs),
        )
        damping = np.where(better, damping * 0.3, damping * 10)
        points = line_point(twists) if kind == "revolute" else np.zeros((pairs, 3))
        basis = line_perturbations(twists, points, revolute)
        line = (np.eye(6) - adjoint(displaced)) @ basis
        rate = np.broadcast_to(twists, errors.shape)
        weighted_rate = np.einsum("fpij,fpj->fpi", metric, rate)
        rate_info = np.einsum("fpi,fpi->fp", weighted_rate, rate) + 1e-12
        rate_pull = np.einsum("fpi,fpi->fp", weighted_rate, errors)
        cross = np.einsum("fpi,fpij->fpj", weighted_rate, line)
        info = np.einsum("fpki,fpkl,fplj->pij", line, metric, line)
        pull = np.einsum("fpki,fpkl,fpl->pi", line, metric, errors)
        info = info - np.einsum("fpi,fpj->pij", cross, cross / rate_info[..., None])
        pull = pull - np.einsum("fpi,fp->pi", cross, rate_pull / rate_info)
        scale = np.trace(info, axis1=1, axis2=2)
        ridge = (damping * scale + 1e-12)[:, None, None] * np.eye(4)
        step = np.linalg.solve(info + ridge, pull[..., None])[..., 0]
        step[:, :2] = np.clip(step[:, :2], -0.5, 0.5)
        change = np.einsum("pij,pj->pi", basis, step)
        shift = (rate_pull - np.einsum("fpi,pi->fp", cross, step)) / rate_info
        twists = normalise(np.einsum("pij,pj->pi", adjoint(exp_se3(change)), twists))
        values = values + shift
    return best


def normalise(twists: Array) -> Array:
    """Return unit twists (..., 6) without pitch: rotational ones with v orthogonal to omega."""
    omega, linear = twists[..., :3], twists[..., 3:]
    size = np.linalg.norm(omega, axis=-1, keepdims=True)
    rotational = size > 1e-9
    axis = omega / np.where(rotational, size, 1.0)
    slid = linear / np.where(rotational, size, 1.0)
    slid = slid - np.sum(slid * axis, axis=-1, keepdims=True) * axis
    pure = linear / np.maximum(np.linalg.norm(linear, axis=-1, keepdims=True), 1e-300)
    return np.concatenate([axis * rotational, np.where(rotational, slid, pure)], axis=-1)
