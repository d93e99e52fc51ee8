"""Adjust all joints of a mechanism together to all bodies and frames, so that chains agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import (
    Edge,
    MechanismFit,
    Observations,
    constant_ranges,
    constant_slices,
    latent_ranges,
    latent_slices,
)
from autourdf_ros.estimation.video.joints.fitting.joint_starts import nearest_motions
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import (
    PAIRS,
    PairType,
    screw_rates,
    screw_values,
)
from autourdf_ros.estimation.video.joints.fitting.mechanism_fit import cost_of, fit_mechanism
from autourdf_ros.estimation.video.joints.fitting.pair_likelihood import PairFit, independent_share
from autourdf_ros.estimation.video.joints.fitting.parallel_axes import (
    constants_basis,
    nearly_parallel,
)
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.estimation.video.joints.mechanism_tree import Pair, TreeEdge, pair_of
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, from_translation, inverse, transform

UNKNOWN = 0.1  # of the ranges known beforehand: what is known less well is left open
LAST_STEPS = 2  # of a fit that has converged, after its frames were moved
TURNED = (np.eye(3), np.roll(np.eye(3), 1, axis=1), np.roll(np.eye(3), 2, axis=1))


@dataclass(frozen=True)
class Adjusted:
    """A mechanism adjusted to all frames.

    Attributes:
        fit: All joints.
        reference: Frame at which all joints are at zero.
        frame_covariances: For each joint (6, 6) of twists of its frame K, in K, against the
            parent; zero along what its type leaves open.
        values: For each joint (T, D) of its 1-DoF joints in a row (rad or m); NaN where unknown.
        stds: For each joint (T, D) standard deviations.
    """

    fit: MechanismFit
    reference: int
    frame_covariances: tuple[Array, ...]
    values: tuple[Array, ...]
    stds: tuple[Array, ...]


def adjust(
    seen: Observations,
    tree: tuple[TreeEdge, ...],
    pairs: Mapping[Pair, PairFit],
    options: JointsOptions,
) -> Adjusted:
    """Adjust a tree of joints.

    Args:
        seen: All bodies in all frames, the world being the root.
        tree: Which joints there are.
        pairs: Fits to start from.
        options: Choices.
    """
    edges = tuple(_edge(edge, pair_of(pairs, edge.parent, edge.child), seen) for edge in tree)
    fit = fit_mechanism(seen, with_motions(seen, edges), options)
    return described(with_parallel_axes(fit, options), options)


def described(fit: MechanismFit, options: JointsOptions) -> Adjusted:
    """Return a fitted mechanism with its joints at zero in one frame, and what is known of them."""
    reference = _reference(fit)
    tidied = tuple(
        _tidied(edge, reference, fit.observations.centres[edge.child]) for edge in fit.edges
    )
    fit = fit_mechanism(
        fit.observations, tidied, replace(options, iterations=min(options.iterations, LAST_STEPS))
    )
    covariance = constants_covariance(fit)
    values, stds = _values(fit, covariance, options)
    frames = _frame_covariances(fit, covariance, options)
    return Adjusted(fit, reference, frames, values, stds)


def with_parallel_axes(fit: MechanismFit, options: JointsOptions) -> MechanismFit:
    """Return the fit in which axes are held parallel that the poses do not show to be otherwise.

    Parents first, an axis is held parallel to that of the joint that moves its parent, if that
    costs less likelihood, of independent errors, than the two constants that it saves: log(frames)
    each, as where types are compared (Schwarz, 1978).

    Args:
        fit: All joints, none held parallel.
        options: Choices.
    """
    share = independent_share(fit)
    charge = 2 * np.log(max(fit.squares.shape[1], 2))
    for number in nearly_parallel(fit.edges):
        edges = list(fit.edges)
        edges[number] = replace(edges[number], parallel=True)
        tied = fit_mechanism(fit.observations, tuple(edges), options)
        if share * (cost_of(tied, options) - cost_of(fit, options)) < charge:
            fit = tied
    return fit


def with_motions(seen: Observations, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Return edges whose motions follow the poses seen, held where a body is not seen."""
    poses = seen.poses.copy()
    known = seen.information[:, :, 0, 0] > 0
    result = []
    for edge in edges:
        before = (seen.root if edge.parent < 0 else poses[edge.parent]) @ edge.frame
        motions = nearest_motions(
            edge.kind, inverse(before) @ poses[edge.child] @ inverse(edge.placement)
        )
        usable = known[edge.child] & (edge.parent < 0 or known[edge.parent])
        motions = motions[_last_known(usable)]
        poses[edge.child] = np.where(
            known[edge.child][:, None, None],
            poses[edge.child],
            before @ motions @ edge.placement,
        )
        result.append(replace(edge, motions=motions))
    return tuple(result)


def constants_covariance(fit: MechanismFit) -> Array:
    """Return the covariance (C, C) of all constants (Laplace), errors being correlated in time."""
    ranges = constant_ranges(fit.observations, fit.edges)
    share = independent_share(fit)
    basis = constants_basis(fit.edges)
    known = basis.T @ (fit.constants * share + np.diag(ranges**-2.0)) @ basis
    return np.asarray(basis @ np.linalg.inv(known) @ basis.T)


def _last_known(usable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For every frame the number of the last usable one, or of the first."""
    if not usable.any():
        return np.arange(len(usable))
    numbers = np.where(usable, np.arange(len(usable)), -1)
    held = np.maximum.accumulate(numbers)
    return np.where(held < 0, int(np.flatnonzero(usable)[0]), held)


def _edge(edge: TreeEdge, pair: PairFit, seen: Observations) -> Edge:
    """The joint as fitted to its pair, turned round where the pair has it the other way."""
    frames = len(seen.root)
    still = np.tile(np.eye(4), (frames, 1, 1))
    fitted = next((one.fit for one in pair.types if one.kind == edge.kind), None)
    if fitted is None:
        return Edge(edge.parent, edge.child, edge.kind, np.eye(4), np.eye(4), still)
    own = fitted.edges[0]
    if pair.motion.child == edge.child:
        return Edge(edge.parent, edge.child, edge.kind, own.frame, own.placement, still)
    return Edge(
        edge.parent, edge.child, edge.kind, inverse(own.placement), inverse(own.frame), still
    )


def _reference(fit: MechanismFit) -> int:
    """The first of the frames in which most bodies are seen."""
    return int((fit.observations.information[:, :, 0, 0] > 0).sum(axis=0).argmax())


def _tidied(edge: Edge, reference: int, centre: Array) -> Edge:
    """A joint that is at zero in one frame, its frame near the child's centre there.

    Neither changes how it moves: its group holds the motion there, and its frame slides within
    the joint's symmetry.
    """
    there = edge.motions[reference]
    edge = replace(edge, motions=edge.motions @ inverse(there), placement=there @ edge.placement)
    shift = transform(edge.placement, centre)
    if edge.kind in ("revolute", "cylindrical"):
        shift = shift * np.array([0.0, 0.0, 1.0])
    elif edge.kind == "spherical":
        shift = np.zeros(3)
    edge = _slid(edge, from_translation(shift))
    if {0, 1, 2} <= set(PAIRS[edge.kind].moves):
        turned = np.tile(np.eye(4), (3, 1, 1))
        turned[:, :3, :3] = TURNED
        choices = [_slid(edge, turn) for turn in turned]
        edge = min(choices, key=lambda one: float(_tilt(one).max()))
    return edge


def _slid(edge: Edge, within: Array) -> Edge:
    """A joint with its frame moved by a motion (4, 4) of its symmetry, in the frame."""
    back = inverse(within)
    return replace(
        edge,
        frame=edge.frame @ within,
        motions=back @ edge.motions @ within,
        placement=back @ edge.placement,
    )


def _tilt(edge: Edge) -> Array:
    """How far (T,) the second of three turns goes: at 90 degrees the others are one."""
    return np.abs(screw_values(edge.kind, edge.motions)[:, -2])


def _frame_covariances(
    fit: MechanismFit, covariance: Array, options: JointsOptions
) -> tuple[Array, ...]:
    """Covariances (6, 6) of the joints' frames: by the fit, and by what lasts of the parents'."""
    result = []
    for edge, own in zip(fit.edges, constant_slices(fit.edges), strict=True):
        placed = list(PAIRS[edge.kind].placed)
        whole = np.zeros((6, 6))
        whole[np.ix_(placed, placed)] = covariance[own, own][: len(placed), : len(placed)]
        if edge.parent >= 0:
            lasting = options.lasting_share * _typical_covariance(fit, edge.parent, edge.frame)
            whole[np.ix_(placed, placed)] += lasting[np.ix_(placed, placed)]
        result.append(whole)
    return tuple(result)


def _typical_covariance(fit: MechanismFit, body: int, frame: Array) -> Array:
    """Covariance (6, 6) of a body's pose, as twists in a frame (4, 4) of it.

    The typical one of all frames; what a symmetry leaves open is settled by the joints.
    """
    seen = fit.observations
    information = seen.information[body]
    known = information[:, 0, 0] > 0
    back = np.zeros((int(known.sum()), 6, 6))
    turns = np.swapaxes(seen.poses[body, known, :3, :3], 1, 2)
    back[:, :3, :3], back[:, 3:, 3:] = turns, turns
    own = np.median(back @ information[known] @ np.swapaxes(back, 1, 2), axis=0)
    scales = np.outer(seen.ranges, seen.ranges)
    values, vectors = np.linalg.eigh(own * scales)
    inverted = np.where(values > 1.0 / UNKNOWN**2, 1.0 / np.maximum(values, 1e-300), 0.0)
    covariance = (vectors * inverted) @ vectors.T * scales
    change = adjoint(inverse(frame) @ from_translation(seen.centres[body]))
    return np.asarray(change @ covariance @ change.T)


def _values(
    fit: MechanismFit, covariance: Array, options: JointsOptions
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Values and standard deviations (T, D) of every joint."""
    ranges = latent_ranges(fit.observations, fit.edges)
    inner = np.linalg.inv(fit.latents + np.diag(ranges**-2.0))
    follow = inner @ fit.coupling
    spread = inner + follow @ covariance @ np.swapaxes(follow, -1, -2)
    values, stds = [], []
    for edge, own in zip(fit.edges, latent_slices(fit.edges), strict=True):
        kind: PairType = edge.kind
        found = screw_values(kind, edge.motions)
        rates = screw_rates(kind, found)
        own_spread = spread[:, own, own]
        variances = np.einsum("tij,tjk,tik->ti", rates, own_spread, rates)
        deviations = np.sqrt(np.einsum("tii->ti", own_spread)) / ranges[own]
        unknown = (deviations > options.unknown_share).any(axis=1)
        found[unknown], variances[unknown] = np.nan, np.nan
        values.append(found)
        stds.append(np.sqrt(variances))
    return tuple(values), tuple(stds)
