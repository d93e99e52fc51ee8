"""Propagate the errors of clouds to an adjustment's outcome: how uncertain it is.

Every frame is fitted to several surfaces, each of which is a frame's cloud itself. What is wrong
with a body in a cloud (noise of its points, which planes through neighbours share, and points of
other links) displaces it against all clouds that this one is compared with: the comparisons are
dyads, correlated where they have a cloud in common. So the covariance is not the inverse of the
information but a sandwich, with the errors of every cloud propagated as a whole (White, 1982; for
dyads: Aronow, Samii and Assenova, "Cluster-Robust Variance Estimation for Dyadic Data", 2015). How
large they are is measured, body by body, by how far the bodies still are displaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.comparisons import Comparison, Unknowns
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint

_LEAST_LEFT = 0.2  # share of the displacements that the unknowns cannot take up
_RANK = 1e-6  # share of the largest eigenvalue, in units of the diagonal: of what is seen
_UNKNOWN = 1e-12  # the same of the shared unknowns: of what nothing determines
_NAIVE = 1e-3  # share of squared noise: what nothing determines may be anywhere


@dataclass(frozen=True)
class Propagated:
    """What the errors of the clouds do to the unknowns.

    Attributes:
        lines: (L, L) covariance; zero for lines that move nothing.
        values: (F, J) variances of the joint values.
    """

    lines: Array
    values: Array


def propagated(
    comparisons: Sequence[Comparison],
    unknowns: Unknowns,
    noise: float,
    *,
    joints: int,
    known: Array | None = None,
) -> Propagated:
    """Return the covariances after an adjustment.

    Args:
        comparisons: of all frames with all surfaces.
        unknowns: what was adjusted.
        noise: metres, the unit of what is tied.
        joints: number of joint values among a frame's own unknowns.
        known: (L, L) covariance of the lines, where it is taken instead of found.
    """
    alone, cross, shared = _normal_equations(comparisons, unknowns)
    coupling = np.asarray(np.linalg.solve(alone, cross), np.float64)
    back = np.asarray(np.linalg.inv(alone), np.float64)
    spreads, single = _spreads(comparisons, unknowns, _free(unknowns, back))
    pushes = _pushes(comparisons, unknowns, coupling)
    # Other lines than those that were found have nothing to do with these clouds' errors.
    bread, covariance = np.zeros_like(shared), np.zeros_like(shared)
    if known is None:
        bread = _inverse(shared - np.einsum("fos,fot->st", cross, coupling, optimize=True))
        meat = np.einsum("cbis,cbij,cbjt->st", pushes, spreads, pushes, optimize=True)
        meat += _own_errors(comparisons, unknowns, coupling, single, noise)
        covariance = bread @ meat @ bread + _NAIVE * noise**2 * bread
    else:
        covariance[: unknowns.lines, : unknowns.lines] = known
    felt = coupling[:, :joints]
    variances = np.einsum("fjs,fjs->fj", felt @ covariance, felt)
    tied = unknowns.of_others(unknowns.ties)
    variances += noise**2 * np.einsum("fjo,fo->fj", back[:, :joints] ** 2, tied)
    felt = (felt @ bread).reshape(len(felt), joints, -1)
    for item in comparisons:
        own = unknowns.own[item.frame] @ back[item.frame, :, :joints]
        weighted = (item.repeats * single)[:, None, None] * item.information @ own
        variances[item.frame] += np.einsum("bij,bij->j", own, weighted)
    for frame, cloud, push in _own_pushes(comparisons, unknowns):
        # A cloud's errors move the values by themselves, and by the shared unknowns.
        moved = back[frame, :joints] @ push.reshape(-1, push.shape[-1]).T
        spread = np.einsum("jbi,bil->jbl", moved.reshape(joints, -1, 6), spreads[cloud])
        spread = spread.reshape(joints, -1)
        by_shared = spread @ pushes[cloud].reshape(spread.shape[1], -1)
        variances[frame] += np.einsum("jb,jb->j", spread, moved)
        variances[frame] -= 2 * np.einsum("js,js->j", by_shared, felt[frame])
    for k, key in enumerate(unknowns.keys):
        start = unknowns.lines + k * unknowns.ties.shape[1]
        variances[key] = np.diag(covariance)[start : start + joints]
    return Propagated(covariance[: unknowns.lines, : unknowns.lines], variances)


def _own_errors(
    comparisons: Sequence[Comparison],
    unknowns: Unknowns,
    coupling: Array,
    single: Array,
    noise: float,
) -> Array:
    """(S, S) how errors of single comparisons, and of ties, pull the shared unknowns."""
    tied = unknowns.of_others(unknowns.ties)
    result = np.einsum("fos,fo,fot->st", coupling, tied, coupling, optimize=True)
    result = noise**2 * (result + np.diag(unknowns.of_keys(unknowns.ties)))
    for item in comparisons:
        free = unknowns.change(item) - unknowns.own[item.frame] @ coupling[item.frame]
        weighted = (item.repeats * single)[:, None, None] * item.information @ free
        result += free.reshape(-1, len(result)).T @ weighted.reshape(-1, len(result))
    return np.asarray(result)


def trial_twists(information: Array, size: float, seed: int) -> Array:
    """Draw random twists (B, 6) of bodies, as likely in all directions of their information.

    Args:
        information: (B, 6, 6) of the bodies.
        size: rms displacement (m) along the normals of the points that gave the information.
        seed: of the drawing.
    """
    values, vectors, units = _scaled(information)
    drawn = np.random.default_rng(seed).normal(size=values.shape)
    drawn = np.where(_seen(values), drawn / np.sqrt(np.maximum(values, 1e-300)), 0.0)
    twists = np.einsum("bij,bj->bi", vectors, drawn) / units
    squared = np.einsum("bi,bij,bj->b", twists, information, twists)
    weights = np.trace(information[:, 3:, 3:], axis1=1, axis2=2)
    return np.asarray(twists * (size * np.sqrt(weights / np.maximum(squared, 1e-300)))[:, None])


def _normal_equations(
    comparisons: Sequence[Comparison], unknowns: Unknowns
) -> tuple[Array, Array, Array]:
    """Information of the own unknowns (F, O, O), of both (F, O, S) and of the shared (S, S)."""
    count, width = unknowns.ties.shape
    size = unknowns.shared.shape[-1]
    alone, cross = np.zeros((count, width, width)), np.zeros((count, width, size))
    shared = np.diag(unknowns.of_keys(unknowns.ties))
    for item in comparisons:
        own, change = unknowns.own[item.frame], unknowns.change(item)
        mine, weighted = own.reshape(-1, width), (item.information @ change).reshape(-1, size)
        alone[item.frame] += mine.T @ (item.information @ own).reshape(-1, width)
        cross[item.frame] += mine.T @ weighted
        shared += change.reshape(-1, size).T @ weighted
    diagonal = np.arange(width)
    alone[:, diagonal, diagonal] += unknowns.ties
    alone[list(unknowns.keys)] = np.eye(width)
    return alone, cross, shared


def _free(unknowns: Unknowns, back: Array) -> float:
    """How many of a frame's own unknowns nothing locks, on average."""
    others = [f for f in range(len(back)) if f not in unknowns.keys]
    locked = np.einsum("foo,fo->fo", back[others], unknowns.ties[others])
    return float((1 - locked).sum() / max(len(others), 1))


def _spreads(
    comparisons: Sequence[Comparison], unknowns: Unknowns, free: float
) -> tuple[Array, Array]:
    """What is wrong with the bodies of a cloud, and what with a comparison of two by itself.

    Covariances (1 + F, B, 6, 6) of the displacements of the bodies in the reference and frames: the
    inverse of a body's information in the cloud, times a variance. Variances (B,) of a comparison's
    own displacements, over the inverse of its information, which no other comparison shares: a
    point has other partners in every cloud.

    Both are measured (a random-effects analysis of variance): how far a body is displaced between
    two clouds, by bodies; and which share of that is left in the mean over all frames that a
    surface is compared with, over all bodies, which is the surface's. A frame's own is taken to be
    as large. free: a frame's own unknowns, which take up displacements; the lines take up
    some of the surfaces'.
    """
    bodies, count = len(comparisons[0].information), len(unknowns.ties)
    squares, ranks = np.zeros(bodies), np.zeros(bodies)
    means, sums = np.zeros((1 + count, bodies, 6)), np.zeros((1 + count, bodies, 6, 6))
    total, number = np.zeros_like(sums), np.zeros((2, 1 + count, bodies))
    for item in comparisons:
        information, gradient = item.information / item.repeats, item.gradient / item.repeats
        inverse, rank = _pseudo_inverse(information)
        squares += np.einsum("bi,bij,bj->b", gradient, inverse, gradient)
        ranks += rank
        before = np.swapaxes(adjoint(item.relative), -1, -2)
        there = before @ information @ np.swapaxes(before, -1, -2)
        means[1 + item.surface] += np.einsum("bij,bj->bi", before, gradient)
        sums[1 + item.surface] += there
        number[:, 1 + item.surface] += rank > 0
        total[1 + item.frame] += information
        number[1, 1 + item.frame] += rank > 0
    surfaces = 1 + len(unknowns.keys)
    seen = 6 * max(int((ranks > 0).sum()), 1)
    left = 1 - free * (1 + 1 / surfaces) / 2 / seen
    both = squares / np.maximum(ranks * max(left, _LEAST_LEFT), 1)
    inverses, rank = _pseudo_inverse(sums)
    squares = np.einsum("cbi,cbij,cbj->cb", means, inverses, means)
    squares /= np.maximum(number[0] * both, 1e-300)
    left = 1 - (free + unknowns.lines / surfaces) / seen
    mean = squares.sum() / max(float(rank.sum()) * max(left, _LEAST_LEFT), 1)
    alone = surfaces * np.count_nonzero(rank.any(axis=0)) / max(float(number[0].sum()), 1)
    of_cloud = both * np.clip((mean - alone) / max(1 - alone, _LEAST_LEFT), 0, 0.5)
    inverses, _ = _pseudo_inverse((sums + total) / np.maximum(number[1], 1)[..., None, None])
    return of_cloud[:, None, None] * inverses, np.asarray(both - 2 * of_cloud)


def _pushes(comparisons: Sequence[Comparison], unknowns: Unknowns, coupling: Array) -> Array:
    """(1 + F, B, 6, S) how displacements in the reference and the frames pull shared unknowns."""
    result = np.zeros((1 + len(coupling), *unknowns.shared.shape[1:]))
    for item in comparisons:
        free = unknowns.change(item) - unknowns.own[item.frame] @ coupling[item.frame]
        push = item.information @ free
        result[1 + item.frame] += push
        result[1 + item.surface] -= np.swapaxes(adjoint(item.relative), -1, -2) @ push
    return result


def _own_pushes(
    comparisons: Sequence[Comparison], unknowns: Unknowns
) -> Iterator[tuple[int, int, Array]]:
    """Frame, cloud (0 the reference) and (B, 6, O) how its displacements pull own unknowns."""
    together = np.zeros_like(unknowns.own)
    for item in comparisons:
        push = item.information @ unknowns.own[item.frame]
        together[item.frame] += push
        yield item.frame, 1 + item.surface, -np.swapaxes(adjoint(item.relative), -1, -2) @ push
    for frame, push in enumerate(together):
        yield frame, 1 + frame, push


def _inverse(information: Array) -> Array:
    """Inverse (S, S), large for what nothing determines, zero for unknowns that move nothing."""
    diagonal = np.diag(information)
    moving = diagonal > 1e-15 * np.median(diagonal[diagonal > 0])
    units = np.where(moving, np.sqrt(np.maximum(diagonal, 1e-300)), np.inf)
    values, vectors = np.linalg.eigh(information / np.outer(units, units) + np.diag(~moving))
    scaled = (vectors / np.maximum(values, _UNKNOWN)) @ vectors.T
    return np.asarray(scaled / np.outer(units, units))


def _pseudo_inverse(information: Array) -> tuple[Array, Array]:
    """Inverse (..., 6, 6) of what there is information about, and of how many directions (...)."""
    values, vectors, units = _scaled(information)
    seen = _seen(values)
    inverses = np.where(seen, 1.0 / np.where(seen, values, 1.0), 0.0)
    inverse = (vectors * inverses[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return inverse / (units[..., :, None] * units[..., None, :]), seen.sum(-1)


def _scaled(information: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues (..., 6) and vectors (..., 6, 6) in units (..., 6) of the diagonal, and these."""
    units = np.sqrt(np.maximum(np.diagonal(information, axis1=-2, axis2=-1), 1e-300))
    values, vectors = np.linalg.eigh(information / (units[..., :, None] * units[..., None, :]))
    return values, vectors, units


def _seen(values: Array) -> NDArray[np.bool_]:
    return np.asarray(values > _RANK * np.maximum(values[..., -1:], 1e-12))
