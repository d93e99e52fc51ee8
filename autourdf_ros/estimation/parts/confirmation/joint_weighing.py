"""Weigh the alternatives of a joint, and other parents of its child, by the tracked motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import JointFit, fit_prismatic, fit_revolute, on_axes
from autourdf_ros.estimation.common.rigid_bodies import parallel_sum, to_reference
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.confirmation.alternative_fit import (
    AlternativeFit,
    fit_alternative,
    log_likelihood,
)
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.pose_refinement import TrackedParts
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3

FROZEN = 1e-7  # rad, and of the size: deviation of an axis that stays as given
LEAST_FRAMES = 3  # in which both parts must be tracked: a joint's line and values fit any two


@dataclass(frozen=True)
class RelativeMotion:
    """How a child moves against another part, in the frames that show both.

    Attributes:
        frames: (K,) numbers of these frames.
        motion: (K, 4, 4) from the given pose.
        metric: (K, 6, 6) of left errors, in units of the noise, of as many points as count as
            independent.
        points: (K,) effective number of points behind the metric.
    """

    frames: NDArray[np.int64]
    motion: Array
    metric: Array
    points: Array

    def surface_errors(self, costs: Array, noise: float) -> Array:
        """Return the root mean square distances (K,) (m) on the surfaces that costs (K,) mean."""
        return np.asarray(noise * np.sqrt(np.maximum(costs, 0.0) / np.maximum(self.points, 1e-9)))

    def surface_error(self, costs: Array, noise: float, options: ConfirmationOptions) -> float:
        """Return the largest of these, without the few frames that may be tracked badly."""
        errors = np.sort(self.surface_errors(costs, noise))
        return float(errors[len(errors) - 1 - options.bad_frames(len(errors))])


def between(
    parts: TrackedParts,
    parent: int,
    child: int,
    options: ConfirmationOptions,
    beside: int | None = None,
) -> RelativeMotion:
    """Return how a child moves against a part.

    Args:
        parts: All parts in all frames.
        parent: Number of the part.
        child: Number of the child.
        options: Constants.
        beside: Number of another part, which limits frames and metric as well: so two parents are
            compared by what is seen of both.
    """
    numbers = [parent, child] if beside is None else [parent, child, beside]
    frames = np.flatnonzero(parts.tracked[:, numbers].all(axis=1))
    poses, known = parts.bodies.poses[frames], parts.bodies.information[frames]
    motion = inverse(poses[:, parent]) @ poses[:, child]
    own = known[:, parent]
    if beside is not None:
        offset = inverse(poses[:, beside]) @ poses[:, parent]
        own = parallel_sum(own, to_reference(offset, known[:, beside]))
    metric = parallel_sum(own, to_reference(inverse(motion), known[:, child]))
    points = parts.bodies.weights[frames][:, numbers].min(axis=1)
    share = np.minimum(1.0, options.independent / np.maximum(points, 1e-9))
    scaled = metric * (share / parts.noise**2)[:, None, None]
    return RelativeMotion(frames, motion, scaled, points * share)


@dataclass(frozen=True)
class WeighedJoint:
    """A joint's alternatives by motion.

    Attributes:
        fits: Of every alternative.
        posterior: (A,) probabilities.
        moved: Probability that the joint moved.
        residual: Root mean square error (m) that the best one leaves on the surfaces.
        given_residual: The same with its axis as given.
        errors: (K,) that the best one leaves in each frame (m).
        certainty: Probability of the best one and of those that motion refines to the same joint.
    """

    fits: tuple[AlternativeFit, ...]
    posterior: Array
    moved: float
    residual: float
    given_residual: float
    errors: Array
    certainty: float

    @property
    def best(self) -> int:
        """Number of the most probable alternative."""
        return int(self.posterior.argmax())


def weigh_alternatives(
    joint: EdgeJoint,
    relative: RelativeMotion,
    size: float,
    noise: float,
    options: ConfirmationOptions,
) -> WeighedJoint:
    """Weigh the alternatives of a joint.

    Args:
        joint: With its alternatives.
        relative: Motion of the child against the parent.
        size: Of the child (m).
        noise: Standard deviation of a point along its normal (m).
        options: Constants.
    """
    fits = tuple(
        fit_alternative(candidate, relative.motion, relative.metric, size, options)
        for candidate in joint.alternatives
    )
    likelihoods = np.array([fit.log_likelihood for fit in fits])
    logs = np.log(_prior(joint)) + likelihoods
    posterior = np.exp(logs - logs.max())
    posterior /= posterior.sum()
    best = int(posterior.argmax())
    errors = log_se3(relative.motion)
    costs = np.einsum("fi,fij,fj->f", errors, relative.metric, errors)
    still = log_likelihood(costs, options)
    if relative.surface_error(costs, noise, options) < options.least_motion * noise:
        still = 0.0
    frames = len(relative.frames)
    # The values are parameters that a joint that stands still lacks (Schwarz, 1978).
    gain = -still - frames / 2 * np.log(max(5 * frames, 2))
    errors_left = relative.surface_errors(fits[best].costs, noise)
    residual = relative.surface_error(fits[best].costs, noise, options)
    given = fit_alternative(
        joint.alternatives[best], relative.motion, relative.metric, size, _as_given(options)
    )
    given_residual = relative.surface_error(given.costs, noise, options)
    same = _same(joint, fits, best, size, options)
    certainty = float(posterior[same].sum())
    moved = _probability(gain)
    return WeighedJoint(fits, posterior, moved, residual, given_residual, errors_left, certainty)


def _same(
    joint: EdgeJoint,
    fits: Sequence[AlternativeFit],
    best: int,
    size: float,
    options: ConfirmationOptions,
) -> NDArray[np.bool_]:
    """Whether alternatives (A,) are refined to the joint of the best one, as near as a prior is."""
    kinds = np.array([candidate.type for candidate in joint.alternatives])
    twists = np.array([fit.twist for fit in fits])
    turns = kinds == "revolute"
    axes = np.where(turns[:, None], twists[:, :3], twists[:, 3:])
    points = on_axes(twists, joint.alternatives[best].point, turns)
    aligned = np.abs(axes @ axes[best]) >= np.cos(options.axis_angle)
    near = np.linalg.norm(points - points[best], axis=1) <= options.axis_offset * size
    same = (kinds == kinds[best]) & (aligned & near | (kinds == "fixed"))
    same[best] = True
    return np.asarray(same)


@dataclass(frozen=True)
class Parents:
    """How the parent of a joint compares with the next best part.

    Attributes:
        probability: That the child hangs on its parent.
        rival: Number of the next best part; None without one.
        rival_fits: Whether the child moves on that part by one joint as well as can be seen.
    """

    probability: float
    rival: int | None = None
    rival_fits: bool = False


def weigh_parents(
    joint: EdgeJoint,
    others: Sequence[int],
    parts: TrackedParts,
    largest: float,
    options: ConfirmationOptions,
) -> Parents:
    """Compare the parent of a joint with other parts.

    Each is tried with the revolute or prismatic joint that fits best, by what is seen of both.

    Args:
        joint: The joint.
        others: Numbers of the parts that may be the parent instead.
        parts: All parts in all frames.
        largest: Error on the surfaces (m) up to which a joint fits.
        options: Constants.
    """
    prior = joint.edge_probability if np.isfinite(joint.edge_probability) else 0.5
    prior = float(np.clip(prior, 0.05, 0.95))
    gains, fitting = {}, {}
    for other in others:
        own = between(parts, joint.parent, joint.child, options, other)
        if len(own.frames) >= LEAST_FRAMES:
            rival = between(parts, other, joint.child, options, joint.parent)
            costs = _free_costs(rival, options)
            fitting[other] = rival.surface_error(costs, parts.noise, options) <= largest
            gains[other] = log_likelihood(costs, options) - log_likelihood(
                _free_costs(own, options), options
            )
    if not gains:
        return Parents(prior)
    best = max(gains, key=lambda other: (fitting[other], gains[other]))
    logs = np.array(list(gains.values())) + np.log((1 - prior) / prior)
    probability = float(1 / (1 + np.exp(np.clip(logs, -50, 50)).max()))
    return Parents(probability, best, fitting[best])


def _free_costs(relative: RelativeMotion, options: ConfirmationOptions) -> Array:
    """Costs (K,) of the joint with one degree of freedom that fits best."""
    motion, metric = relative.motion[:, None], relative.metric[:, None]
    fits = (fit_revolute(motion, metric), fit_prismatic(motion, metric))
    costs = [_left(fit, motion, metric) for fit in fits]
    return max(costs, key=lambda one: log_likelihood(one, options))


def _left(fit: JointFit, motion: Array, metric: Array) -> Array:
    errors = log_se3(motion @ inverse(exp_se3(fit.twists * fit.values[..., None])))
    return np.asarray(np.einsum("fpi,fpij,fpj->f", errors, metric, errors))


def _as_given(options: ConfirmationOptions) -> ConfirmationOptions:
    """The constants with axes that do not move."""
    return replace(options, axis_angle=FROZEN, axis_offset=FROZEN)


def _prior(joint: EdgeJoint) -> Array:
    """Probabilities (A,) of the alternatives before the motion; equal where unknown."""
    given = np.array([candidate.probability for candidate in joint.alternatives])
    if not np.all(np.isfinite(given)) or given.sum() <= 0:
        return np.full(len(given), 1 / len(given))
    given = np.maximum(given, 0.01)
    return np.asarray(given / given.sum())


def _probability(gain: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(gain, -500, 500))))
