"""How likely joints and their types are, by how bodies moved that were registered by themselves.

Two models of a relative motion are compared by the Bayesian information criterion (Schwarz, 1978)
of errors whose variance is not known: with n coordinates observed and k parameters it is
n ln(S / n) + k ln n, S being the squared errors that are left. The odds of two models are
exp(difference / 2) where nothing speaks for either beforehand (Kass and Raftery, 1995, eq. 9).

That the variance is estimated keeps points that err together from counting as so many: they
leave larger errors than the measured noise, which is only the least that S / n may be. Frames
in which the joint stood nearly alike err alike, too: of n coordinates in frames in the order of
the joint's value, whose errors are correlated by r from one to the next, n (1 - r) / (1 + r)
count (Bartlett, 1946).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.chain_fit import fit_chain
from autourdf_ros.estimation.common.joint_fit import (
    JointFit,
    across_basis,
    fit_prismatic,
    fit_revolute,
    line_point,
    normalise,
    refine,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3

LINES = {"revolute": 4, "prismatic": 2}  # parameters of a joint, beside its value in every frame
SEEN = 1e-4  # share of the best seen coordinate's information below which one is not seen
REACH = 1.0  # robot sizes: standard deviation of axes about the robot's middle, beforehand
FAR = 10.0  # robot sizes: an axis farther away is none
LEAST_CORRELATION, MOST_CORRELATION = 0.0, 0.95


@dataclass(frozen=True)
class JointEvidence:
    """How P relative motions are best explained: by no joint, a revolute or a prismatic one.

    Attributes:
        costs: (P, 3) squared errors left by a fixed, a revolute and a prismatic joint, over the
            squared noise.
        observed: (P,) coordinates of all frames that the surfaces show.
        effective: (P,) how many independent coordinates these are worth.
        exists: (P,) probability that the bodies move at all against each other.
        revolute: (P,) probability that they turn rather than slide.
    """

    costs: Array
    observed: Array
    effective: Array
    exists: Array
    revolute: Array


def weigh_joints(motion: Array, metric: Array, noise: float) -> JointEvidence:
    """Return the evidence for joints by their relative motions.

    Lengths are in robot sizes, about the robot's middle: beforehand, the distance of an axis has a
    normal distribution of deviation `REACH`, since a far one is hardly a part of the robot.

    Args:
        motion: (F, P, 4, 4) relative motions (`relative_motion`).
        metric: (F, P, 6, 6) of their left errors.
        noise: standard deviation of a point along its normal.
    """
    slides = fit_prismatic(motion, metric)
    fits = (_turns(motion, metric, slides), slides)
    frozen = _whitened(log_se3(motion), metric)
    left = [_whitened(_errors(motion, fit), metric) for fit in fits]
    observed = _observed(metric)
    costs = np.stack([(e**2).sum(axis=(0, 2)) for e in (frozen, *left)], axis=1) / noise**2
    turns = costs[:, 1] <= costs[:, 2]
    effective = np.array(
        [
            n * _independent(left[0 if turn else 1][:, p], fits[0 if turn else 1].values[:, p])
            for p, (n, turn) in enumerate(zip(observed, turns, strict=True))
        ]
    )
    # The measured noise is the least that errors may be.
    spread = np.log(np.maximum(costs / np.maximum(observed, 1)[:, None], 1.0))
    values = len(motion) * effective / np.maximum(observed, 1)
    parameters = np.stack(
        [0 * values, values + LINES["revolute"], values + LINES["prismatic"]], axis=1
    )
    distances = np.linalg.norm(line_point(fits[0].twists), axis=1) / REACH
    criterion = effective[:, None] * spread + parameters * np.log(np.maximum(effective, 2))[:, None]
    criterion[:, 1] += distances**2
    return JointEvidence(
        costs,
        observed,
        effective,
        _probability(criterion[:, 1:].min(axis=1), criterion[:, 0]),
        _probability(criterion[:, 1], criterion[:, 2]),
    )


def weigh_chain(motion: Array, metric: Array, noise: float, length: int) -> float:
    """Return the probability that a motion needs `length` revolute joints in a row, not one less.

    For bodies between which no surface shows a link.

    Args:
        motion: (F, 4, 4) relative motions.
        metric: (F, 6, 6) of their left errors.
        noise: standard deviation of a point along its normal.
        length: number of joints, 2 or more.
    """
    frames, squares = len(motion), []
    for joints in (length, length - 1):
        if joints == 1:
            fit = fit_revolute(motion[:, None], metric[:, None])
            squares.append(float(fit.costs[0]))
        else:
            squares.append(float(fit_chain(motion, metric, joints).costs.sum()))
    observed = max(float(_observed(metric[:, None])[0]), 2.0)
    spread = np.log(np.maximum(np.array(squares) / noise**2 / observed, 1.0))
    parameters = (frames + LINES["revolute"]) * np.array([length, length - 1])
    criterion = observed * spread + parameters * np.log(observed)
    return float(_probability(criterion[0], criterion[1]))


def _turns(motion: Array, metric: Array, slides: JointFit) -> JointFit:
    """Revolute joints fitted to motions (F, P, 4, 4), the far axes of what nearly slides as well.

    A little turn about a far axis hides in the noise of the rotations: the search for it starts
    from the slide, with the mean turn per way slid, or a radius of `FAR`.
    """
    near = fit_revolute(motion, metric)
    axes, ways = slides.twists[:, 3:], slides.values
    energy = np.maximum(np.einsum("fp,fp->p", ways, ways), 1e-30)
    turns = np.einsum("fp,fpi->pi", ways, log_se3(motion)[..., :3]) / energy[:, None]
    turns -= np.einsum("pi,pi->p", turns, axes)[:, None] * axes
    rates = np.linalg.norm(turns, axis=1)
    turns = np.where((rates > 1 / FAR)[:, None], turns, across_basis(axes)[:, 0] / FAR)
    rates = np.maximum(rates, 1 / FAR)
    far = refine("revolute", normalise(np.hstack([turns, axes])), ways * rates, motion, metric)
    better = far.costs < near.costs
    return JointFit(
        "revolute",
        np.where(better[:, None], far.twists, near.twists),
        np.where(better, far.values, near.values),
        np.where(better, far.costs, near.costs),
    )


def _errors(motion: Array, fit: JointFit) -> Array:
    """Left errors (F, P, 6) of motions (F, P, 4, 4) under fitted joints."""
    return log_se3(motion @ inverse(exp_se3(fit.twists * fit.values[..., None])))


def _whitened(errors: Array, metric: Array) -> Array:
    """Errors (F, P, 6) in coordinates in which metrics (F, P, 6, 6) are one."""
    values, vectors = np.linalg.eigh(metric)
    return np.einsum("fpji,fpj->fpi", vectors, errors) * np.sqrt(np.maximum(values, 0.0))


def _observed(metric: Array) -> Array:
    """How many coordinates (P,) metrics (F, P, 6, 6) show, over all frames."""
    scale = np.sqrt(np.maximum(np.diagonal(metric, axis1=2, axis2=3).mean(axis=0), 1e-300))
    values = np.linalg.eigvalsh(metric / (scale[:, :, None] * scale[:, None, :]))
    return np.asarray((values > SEEN * values[..., -1:]).sum(axis=(0, 2)), dtype=float)


def _independent(errors: Array, values: Array) -> float:
    """Share of errors (F, 6) that are worth an independent one; values (F,) order the frames."""
    ordered = errors[np.argsort(values)]
    total = float((ordered**2).sum())
    if len(ordered) < 3 or total <= 0:
        return 1.0
    along = float(np.einsum("fi,fi->", ordered[1:], ordered[:-1])) / total
    r = float(np.clip(along, LEAST_CORRELATION, MOST_CORRELATION))
    return (1 - r) / (1 + r)


def _probability(own: Array, other: Array) -> NDArray[np.float64]:
    """Of the model with criterion `own` rather than `other`."""
    return np.asarray(1 / (1 + np.exp(np.clip((own - other) / 2, -500, 500))))
