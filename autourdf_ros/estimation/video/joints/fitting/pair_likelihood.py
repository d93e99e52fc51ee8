"""How likely every type of joint is between two bodies, by how they move against each other.

A type with D degrees of freedom explains D coordinates of each frame's pose by joint values; the
others are errors, distributed as Student's t of as many dimensions. Types are compared by -2 log
likelihood, plus `latent_charge` for each joint value of each frame (Akaike, 1974), plus
log(frames) for each constant (Schwarz, 1978). What symmetric bodies do not show is counted
nowhere: a coordinate known to I, with range S beforehand, counts as S I S / (1 + S I S).

The noise is not taken on trust. Its least factor is what those types leave that leave least, since
the noise belongs to the tracker and not to the type. A tracker knows some directions less well than
it states: a type may have a factor above that, up to `most_noise`, at the price of its likelihood.
And what moves by less than `least_motion` standard deviations is no joint, however regular: of the
types that leave no larger errors along any direction, the one with the fewest degrees of freedom
is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2, norm

from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import (
    MechanismFit,
    constant_ranges,
    latent_ranges,
)
from autourdf_ros.estimation.video.joints.fitting.joint_starts import start_edges
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIR_TYPES, PAIRS, PairType
from autourdf_ros.estimation.video.joints.fitting.mechanism_fit import fit_mechanism
from autourdf_ros.estimation.video.joints.fitting.pair_motion import PairMotion
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.geometry.arrays import Array

FIRST_STEPS = 6  # of a fit, after which the best of several starts is chosen
NOISE_SPREAD = 1.25  # by which errors of types differ that all fit: sampling alone
EXCESS_SHARE = 0.9  # of the frames by which the size of errors along a direction is judged
SMALL_MOTION_ODDS = 0.02  # that a joint moved by no more than the errors' size, beforehand
ROUNDS = 3  # in which a symmetric parent is turned and the joint fitted again
LEAST_FRAMES = 3  # in which both bodies must be seen


@dataclass(frozen=True)
class TypeFit:
    """One type of joint fitted to a pair.

    Attributes:
        kind: The type.
        score: -2 log likelihood with all charges; the least is the best.
        held: Coordinates of all frames that the type holds and the data show.
        fit: How it fits; None for "free", which fits always.
        noise: Factor of the stated standard deviations that it leaves.
        excess: The same along the direction in which it is largest.
    """

    kind: PairType
    score: float
    held: float
    fit: MechanismFit | None
    noise: float = 1.0
    excess: float = 0.0


@dataclass(frozen=True)
class PairFit:
    """All types of joint between two bodies.

    Attributes:
        motion: Their relative motion.
        noise: Factor of the stated standard deviations under the best type that holds anything.
        independent: Share of the errors that are worth an independent one.
        types: The best first.
    """

    motion: PairMotion
    noise: float
    independent: float
    types: tuple[TypeFit, ...]

    @property
    def best(self) -> TypeFit:
        """The most likely type."""
        return self.types[0]

    @property
    def gain(self) -> float:
        """By how much the best type beats none."""
        return self.score_of("free") - self.best.score

    def score_of(self, kind: PairType) -> float:
        """The score of a type; infinite where it was not fitted."""
        return next((one.score for one in self.types if one.kind == kind), np.inf)

    @property
    def probabilities(self) -> dict[PairType, float]:
        """Probability of every type, by Akaike weights of independent data.

        One with a better score than the one taken explains errors by small motions: unlikely.
        """
        scores = np.array([one.score for one in self.types])
        differences = (scores - self.best.score) * self.independent / 2
        odds = np.exp(-np.clip(differences, 0, 500))
        odds = np.where(differences < 0, SMALL_MOTION_ODDS, odds)
        return dict(zip((one.kind for one in self.types), odds / odds.sum(), strict=True))


def fit_pair(pair: PairMotion, options: JointsOptions) -> PairFit:
    """Fit every type of joint to a pair.

    Args:
        pair: Relative motion; with fewer frames than `LEAST_FRAMES` nothing but "free" is fitted.
        options: Choices.
    """
    frames = len(pair.frames)
    if frames < LEAST_FRAMES:
        return PairFit(pair, 1.0, 1.0, (TypeFit("free", 0.0, 0.0, None),))
    fits = [_fitted(pair, kind, options) for kind in PAIR_TYPES[:-1]]
    least = float(np.clip(common_noise(fits), options.least_noise, options.most_noise))
    scored = [_scored(pair, fit, least, options) for fit in fits]
    refined = scored[0].fit
    assert refined is not None
    free = TypeFit("free", options.latent_charge * float(observed(refined).sum()), 0.0, None)
    ranked = _ranked([*scored, free], options.least_motion)
    held = next(one for one in ranked if one.fit is not None)
    assert held.fit is not None
    return PairFit(pair, held.noise, independent_share(held.fit), ranked)


def _ranked(types: list[TypeFit], least_motion: float) -> tuple[TypeFit, ...]:
    """Types by score, but first a simpler one than the best whose errors are those of noise."""
    ranked = sorted(types, key=lambda one: one.score)
    moves = len(PAIRS[ranked[0].kind].moves)
    simple = [
        one
        for one in ranked
        if one.fit is not None and one.excess < least_motion and len(PAIRS[one.kind].moves) < moves
    ]
    if simple and ranked[0].fit is not None:
        first = min(simple, key=lambda one: (len(PAIRS[one.kind].moves), one.score))
        ranked.remove(first)
        ranked.insert(0, first)
    return tuple(ranked)


def _scored(pair: PairMotion, fit: MechanismFit, least: float, options: JointsOptions) -> TypeFit:
    """A type fitted again with the noise that it leaves, `least` at least."""
    noise = float(np.clip(noise_of(fit), least, max(least, options.most_noise)))
    seen = replace(fit.observations, information=pair.seen.information / noise**2)
    return score_of(fit_mechanism(seen, fit.edges, options), noise, least, options)


def score_of(fit: MechanismFit, noise: float, least: float, options: JointsOptions) -> TypeFit:
    """Return the score of one joint that was fitted to a pair.

    Args:
        fit: With information of errors that are `noise` times the stated ones.
        noise: Factor of the stated standard deviations.
        least: Factor that counts as no price.
        options: Charges.
    """
    explained = explained_by_values(fit)
    held = np.maximum(observed(fit) - explained, 0.0)
    deviance = student_deviance(fit.squares, held, options.freedom)
    deviance = deviance + 2 * held * np.log(noise / least)
    most = options.latent_charge * held - 2 * np.log(options.outlier_odds)
    score = float(np.minimum(deviance, most).sum())
    score += options.latent_charge * float(explained.sum()) + constants_charge(fit)
    return TypeFit(fit.edges[0].kind, score, float(held.sum()), fit, noise, noise * excess_of(fit))


def student_deviance(squares: Array, held: Array, freedom: float) -> Array:
    """Return -2 log density of Student's t over that of a normal distribution's mode.

    Args:
        squares: (...) squared errors over the variances.
        held: (...) dimensions; where they are zero, so is the result.
        freedom: Degrees of freedom.
    """
    log_norm = gammaln(freedom / 2) - gammaln((freedom + held) / 2) + held / 2 * np.log(freedom / 2)
    return np.where(held > 0, (freedom + held) * np.log1p(squares / freedom) + 2 * log_norm, 0.0)


def observed(fit: MechanismFit) -> Array:
    """Return how many coordinates (B, T) the poses show, each at most 1."""
    return _counted(fit.observations.information, fit.observations.ranges)


def explained_by_values(fit: MechanismFit) -> Array:
    """Return how many coordinates (T,) the joints' values explain."""
    unweighted = fit.latents / np.maximum(fit.weights[0], 1e-12)[:, None, None]
    return _counted(unweighted, latent_ranges(fit.observations, fit.edges))


def _counted(information: Array, ranges: Array) -> Array:
    if information.shape[-1] == 0:
        return np.zeros(information.shape[:-2])
    values = np.maximum(np.linalg.eigvalsh(information * np.outer(ranges, ranges)), 0.0)
    return np.asarray((values / (1 + values)).sum(axis=-1))


def constants_charge(fit: MechanismFit) -> float:
    """Return log(frames) for each constant of a joint's frames that the poses show."""
    known = _counted(fit.constants, constant_ranges(fit.observations, fit.edges))
    return float(known * np.log(max(fit.squares.shape[1], 2)))


def common_noise(fits: list[MechanismFit]) -> float:
    """Return the noise factor of types that fit: of those within `NOISE_SPREAD` of the least."""
    factors = np.array([noise_of(fit) for fit in fits])
    held = np.array([float((observed(fit)[0] - explained_by_values(fit)).sum()) for fit in fits])
    fitting = factors <= NOISE_SPREAD * factors.min()
    weights = np.maximum(held, 1e-3) * fitting
    return float(np.sqrt((weights * factors**2).sum() / weights.sum()))


def noise_of(fit: MechanismFit) -> float:
    """Return the factor by which a pair's errors exceed their stated standard deviations.

    By the median of squared errors against that of chi-square: outliers do not count.
    """
    held = np.maximum(observed(fit)[0] - explained_by_values(fit), 1e-3)
    return float(np.sqrt(np.median(fit.squares[0] / chi2.median(held))))


def excess_of(fit: MechanismFit) -> float:
    """Return the factor by which errors exceed their deviations along the worst direction.

    In the child's frame; by `EXCESS_SHARE` of the frames, so that outliers do not count.
    """
    seen = fit.observations
    turns = np.zeros_like(seen.information[0])
    turns[:, :3, :3] = turns[:, 3:, 3:] = np.swapaxes(seen.poses[0, :, :3, :3], 1, 2)
    vectors = np.linalg.eigh(seen.information[0])[1]
    whitened = np.einsum("tij,tj->ti", vectors, fit.whitened[0])  # by the symmetric root
    own = np.einsum("tij,tj->ti", turns, whitened)
    weighed = own * fit.weights[0][:, None]
    direction = np.linalg.eigh(weighed.T @ own)[1][:, -1]
    return float(
        np.quantile(np.abs(own @ direction), EXCESS_SHARE) / norm.ppf((1 + EXCESS_SHARE) / 2)
    )


def independent_share(fit: MechanismFit) -> float:
    """Return what share of errors is worth an independent one, by (1 - r) / (1 + r).

    r is the correlation of errors from frame to frame (Bartlett, 1946).
    """
    errors = fit.whitened * np.sqrt(fit.weights)[..., None]
    total = float((errors**2).sum())
    if errors.shape[1] < LEAST_FRAMES or total <= 0:
        return 1.0
    r = float(np.clip((errors[:, 1:] * errors[:, :-1]).sum() / total, 0.0, 0.95))
    return (1 - r) / (1 + r)


def _fitted(pair: PairMotion, kind: PairType, options: JointsOptions) -> MechanismFit:
    """The best fit of a type, from the most promising of all starts."""
    starts = start_edges(pair, kind, options)
    brief = replace(options, iterations=FIRST_STEPS)
    tried = [fit_mechanism(pair.seen, (edge,), brief) for edge in starts]
    best = min(tried, key=lambda one: float(np.log1p(one.squares / options.freedom).sum()))
    return _spun(pair, fit_mechanism(best.observations, best.edges, options), options)


def _spun(pair: PairMotion, fit: MechanismFit, options: JointsOptions) -> MechanismFit:
    """The fit with a symmetric parent turned as the errors ask."""
    if pair.parent_symmetry.kind not in ("axial", "spherical"):
        return fit
    for _ in range(ROUNDS):
        pair = pair.spun_parent(fit)
        fit = fit_mechanism(pair.seen, fit.edges, options)
    return fit
