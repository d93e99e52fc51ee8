"""Fit a tree of joints to observed poses: all joints' frames, and joint values frame by frame.

Body b is predicted at P = R K1 g1 L1 K2 g2 L2 ..., R being the root. Its error, about its own
centre and along the world's axes, is log(T P^-1); it is weighted by the information about its
pose, and Student's distribution weighs frames down that disagree. Minimised by Levenberg-Marquardt
over the constant frames K and L, from which the motions g are eliminated frame by frame (Schur
complement); axes that are held parallel turn together. Of a symmetric body the observed pose is
replaced by the one that looks alike and is nearest to the prediction.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import (
    Edge,
    MechanismFit,
    Observations,
    constant_ranges,
    constant_slices,
    latent_ranges,
    latent_slices,
)
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS
from autourdf_ros.estimation.video.joints.fitting.parallel_axes import aligned, constants_basis
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.symmetry.equivalent_poses import nearest_equivalent
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import (
    adjoint,
    exp_se3,
    from_translation,
    inverse,
    log_se3,
    transform,
)

LARGEST_STEP = 0.5  # of the ranges known beforehand: further, twists do not add
DAMPING = (1e-4, 1e-10, 1e6)  # at first, at least, at most: share of the diagonal


def fit_mechanism(
    seen: Observations, edges: tuple[Edge, ...], options: JointsOptions
) -> MechanismFit:
    """Return the most likely mechanism with these joints, from these starting values.

    Args:
        seen: What was seen.
        edges: Parents first, one for each body at most.
        options: Degrees of freedom, number of steps.
    """
    freedom = _freedom(edges, len(seen.poses), options)
    damping = DAMPING[0]
    edges = aligned(edges)
    seen = _alike(seen, edges)
    errors, columns = _errors(seen, edges), _jacobian(seen, edges)
    squares = _squares(seen, errors)
    cost = _cost(squares, freedom, options)
    for _ in range(options.iterations):
        weights = freedom / (options.freedom + squares)
        step = _step(seen, edges, errors, columns, weights, damping)
        tried = _moved(edges, *step)
        tried_seen = _alike(seen, tried)
        tried_errors = _errors(tried_seen, tried)
        tried_squares = _squares(tried_seen, tried_errors)
        reached = _cost(tried_squares, freedom, options)
        if not reached < cost:
            damping = damping * 10
            if damping > DAMPING[2]:
                break
            continue
        gain = (cost - reached) / max(cost, 1e-300)
        edges, seen, errors, squares, cost = tried, tried_seen, tried_errors, tried_squares, reached
        columns = _jacobian(seen, edges)
        damping = max(damping * 0.1, DAMPING[1])
        if gain < options.tolerance:
            break
    return _result(seen, edges, errors, columns, freedom / (options.freedom + squares))


def cost_of(fit: MechanismFit, options: JointsOptions) -> float:
    """Return -2 log likelihood of a fit, but for what all fits of the same types share."""
    return _cost(fit.squares, _freedom(fit.edges, len(fit.squares), options), options)


def predicted(seen: Observations, edges: tuple[Edge, ...]) -> Array:
    """Return the poses (B, T, 4, 4) that a mechanism predicts; bodies without a joint as seen."""
    return _chain(seen, edges)[0]


def _freedom(edges: tuple[Edge, ...], bodies: int, options: JointsOptions) -> Array:
    """(B, 1) degrees of freedom of Student's distribution and of a frame's error, together."""
    held = np.ones((bodies, 1))
    for edge in edges:
        held[edge.child] = max(6 - len(PAIRS[edge.kind].moves), 1)
    return options.freedom + held


def _chain(seen: Observations, edges: tuple[Edge, ...]) -> tuple[Array, list[Array], list[Array]]:
    """Poses (B, T, 4, 4), and the frames (T, 4, 4) before and behind every joint."""
    poses = seen.poses.copy()
    before, behind = [], []
    for edge in edges:
        start = (seen.root if edge.parent < 0 else poses[edge.parent]) @ edge.frame
        before.append(start)
        behind.append(start @ edge.motions)
        poses[edge.child] = behind[-1] @ edge.placement
    return poses, before, behind


def _alike(seen: Observations, edges: tuple[Edge, ...]) -> Observations:
    if all(one.kind == "none" for one in seen.symmetries):
        return seen
    wanted = predicted(seen, edges)
    poses = [
        nearest_equivalent(symmetry, own, other)
        for own, other, symmetry in zip(seen.poses, wanted, seen.symmetries, strict=True)
    ]
    return replace(seen, poses=np.array(poses))


def _centres(seen: Observations) -> Array:
    """(B, T, 3) in the world."""
    return transform(seen.poses, seen.centres[:, None])


def _errors(seen: Observations, edges: tuple[Edge, ...]) -> Array:
    """(B, T, 6) twists about the centres."""
    centres = _centres(seen)
    there, back = from_translation(centres), from_translation(-centres)
    return log_se3(back @ seen.poses @ inverse(predicted(seen, edges)) @ there)


def _squares(seen: Observations, errors: Array) -> Array:
    return np.maximum((errors[:, :, None] @ seen.information @ errors[..., None])[..., 0, 0], 0.0)


def _cost(squares: Array, freedom: Array, options: JointsOptions) -> float:
    return float(np.sum(freedom * np.log1p(squares / options.freedom)))


def _jacobian(seen: Observations, edges: tuple[Edge, ...]) -> tuple[Array, Array]:
    """By how much constants (B, T, 6, C) and motions (B, T, 6, D) move each body."""
    _, before, behind = _chain(seen, edges)
    bodies, frames = seen.poses.shape[:2]
    about = adjoint(from_translation(-_centres(seen)))
    above = _ancestors(edges, bodies)
    constants, latents = [], []
    for number, edge in enumerate(edges):
        pair = PAIRS[edge.kind]
        ahead, after = adjoint(before[number]), adjoint(behind[number])
        own = np.concatenate([ahead[..., pair.placed], after[..., pair.rest]], axis=-1)
        moved = above[:, number, None, None, None]
        constants.append(moved * (about @ own))
        latents.append(moved * (about @ after[..., pair.moves]))
    empty = [np.zeros((bodies, frames, 6, 0))]
    return np.concatenate(constants + empty, -1), np.concatenate(latents + empty, -1)


def _ancestors(edges: tuple[Edge, ...], bodies: int) -> Array:
    """(B, E) one where an edge moves a body."""
    moves = np.zeros((bodies, len(edges)))
    for number, edge in enumerate(edges):
        if edge.parent >= 0:
            moves[edge.child] = moves[edge.parent]
        moves[edge.child, number] = 1.0
    return moves


def _system(
    seen: Observations, errors: Array, columns: tuple[Array, Array], weights: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Normal equations: constants, coupling, latents, and both right sides."""
    constants, latents = columns
    weighed = seen.information * weights[..., None, None]
    left_c = np.swapaxes(constants, -1, -2) @ weighed
    left_l = np.swapaxes(latents, -1, -2) @ weighed
    return (
        (left_c @ constants).sum(axis=(0, 1)),
        (left_l @ constants).sum(axis=0),
        (left_l @ latents).sum(axis=0),
        (left_c @ errors[..., None])[..., 0].sum(axis=(0, 1)),
        (left_l @ errors[..., None])[..., 0].sum(axis=0),
    )


def _step(
    seen: Observations,
    edges: tuple[Edge, ...],
    errors: Array,
    columns: tuple[Array, Array],
    weights: Array,
    damping: float,
) -> tuple[Array, Array]:
    """Changes of the constants (C,) and of the motions (T, D)."""
    whole, cross, inner, pull, pull_l = _system(seen, errors, columns, weights)
    ranges_c, ranges_l = constant_ranges(seen, edges), latent_ranges(seen, edges)
    ridge = damping * np.einsum("tii->ti", inner) + 1.0 / ranges_l**2
    solved = np.linalg.solve(
        inner + ridge[..., None] * np.eye(inner.shape[-1]),
        np.concatenate([cross, pull_l[..., None]], axis=-1),
    )
    schur = whole - np.einsum("tda,tdb->ab", cross, solved[..., :-1])
    right = pull - np.einsum("tda,td->a", cross, solved[..., -1])
    schur += np.diag(damping * np.diag(whole) + 1.0 / ranges_c**2)
    basis = constants_basis(edges)
    change = basis @ np.linalg.solve(basis.T @ schur @ basis, basis.T @ right)
    largest = float(np.abs(change / ranges_c).max(initial=0.0))
    change = change * min(1.0, LARGEST_STEP / max(largest, LARGEST_STEP))
    moves = solved[..., -1] - solved[..., :-1] @ change
    return change, np.clip(moves, -LARGEST_STEP * ranges_l, LARGEST_STEP * ranges_l)


def _moved(edges: tuple[Edge, ...], change: Array, moves: Array) -> tuple[Edge, ...]:
    result = []
    for edge, own, latent in zip(edges, constant_slices(edges), latent_slices(edges), strict=True):
        pair = PAIRS[edge.kind]
        frame, placed = np.zeros(6), np.zeros(6)
        frame[list(pair.placed)] = change[own][: len(pair.placed)]
        placed[list(pair.rest)] = change[own][len(pair.placed) :]
        within = np.zeros((len(moves), 6))
        within[:, list(pair.moves)] = moves[:, latent]
        result.append(
            replace(
                edge,
                frame=edge.frame @ exp_se3(frame),
                placement=exp_se3(placed) @ edge.placement,
                motions=edge.motions @ exp_se3(within),
            )
        )
    return aligned(tuple(result))


def _result(
    seen: Observations,
    edges: tuple[Edge, ...],
    errors: Array,
    columns: tuple[Array, Array],
    weights: Array,
) -> MechanismFit:
    whole, cross, inner, _, _ = _system(seen, errors, columns, weights)
    ridge = np.diag(latent_ranges(seen, edges) ** -2)
    schur = whole - np.einsum("tda,tdb->ab", cross, np.linalg.solve(inner + ridge, cross))
    values, vectors = np.linalg.eigh(seen.information)
    whitened = np.einsum("btji,btj->bti", vectors, errors) * np.sqrt(np.maximum(values, 0.0))
    return MechanismFit(
        edges, seen, _squares(seen, errors), weights, (schur + schur.T) / 2, inner, cross, whitened
    )
