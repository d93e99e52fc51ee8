"""Fit one alternative of a joint to the relative motion of its parts.

The axis may move a little from where the geometry has it (a normal prior on its line); values are
free in every frame. Lines and values are found by Gauss-Newton, the values being eliminated frame
by frame (Schur complement). A frame counts with a chi-square of `frame_cost` at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.common.joint_fit import line_perturbations, normalise
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3, inverse, log_se3

ITERATIONS = 10
STARTS = 48  # values of a revolute joint from which the best is refined
COORDINATES = 5  # of a frame's relative motion, beside the joint's value


@dataclass(frozen=True)
class AlternativeFit:
    """An alternative that fits as well as it can.

    Attributes:
        twist: (6,) unit twist of the refined axis.
        values: (F,) of the joint (rad or m).
        costs: (F,) chi-square of every frame.
        log_likelihood: Up to a constant.
        step: (4,) from the given axis: two turns (rad) and two shifts (m).
        information: (4, 4) about `step`, by the frames alone.
    """

    twist: Array
    values: Array
    costs: Array
    log_likelihood: float
    step: Array
    information: Array


def log_likelihood(costs: Array, options: ConfirmationOptions) -> float:
    """Return that of frames with these chi-squares, whose variance is known by its least value.

    Student's t with the coordinates as degrees of freedom, so that errors that the noise does not
    explain, as those of meshes, do not decide alone (Lange et al., 1989).
    """
    degrees = max(COORDINATES * len(costs), 1)
    total = float(np.clip(costs, 0.0, options.frame_cost).sum())
    return -(degrees + 1) / 2 * float(np.log1p(total / degrees))


def fit_alternative(
    candidate: JointCandidate,
    motion: Array,
    metric: Array,
    size: float,
    options: ConfirmationOptions,
) -> AlternativeFit:
    """Fit an alternative.

    Args:
        candidate: The joint as the geometry has it.
        motion: (F, 4, 4) relative motions of the child, from the given pose.
        metric: (F, 6, 6) of their left errors, in units of the noise.
        size: Of the child (m).
        options: Constants.
    """
    given = twist_of(candidate)
    if candidate.type == "fixed":
        costs = _costs(log_se3(motion), metric)
        values = np.zeros(len(motion))
        likelihood = log_likelihood(costs, options)
        return AlternativeFit(given, values, costs, likelihood, np.zeros(4), np.zeros((4, 4)))
    sigmas = np.array([options.axis_angle] * 2 + [options.axis_offset * size] * 2)
    basis = _basis(given, candidate)
    twist, step = given, np.zeros(4)
    values = _starting_values(given, motion, metric, candidate.type == "revolute")
    information = np.zeros((4, 4))
    for _ in range(ITERATIONS):
        moving = exp_se3(values[:, None] * twist)
        errors = log_se3(motion @ inverse(moving))
        share = np.minimum(1.0, options.frame_cost / np.maximum(_costs(errors, metric), 1e-12))
        weighed = metric * share[:, None, None]
        line = (np.eye(6) - adjoint(moving)) @ basis
        rate = weighed @ twist
        rates = rate @ twist + 1e-12
        cross = np.einsum("fi,fij->fj", rate, line)
        pulls = np.einsum("fi,fi->f", rate, errors)
        information = np.einsum("fki,fkl,flj->ij", line, weighed, line)
        information -= np.einsum("fi,fj->ij", cross, cross / rates[:, None])
        gradient = np.einsum("fki,fkl,fl->i", line, weighed, errors)
        gradient -= np.einsum("fi,f->i", cross, pulls / rates) + step / sigmas**2
        change = np.linalg.solve(information + np.diag(sigmas**-2.0), gradient)
        change = np.clip(change, -3 * sigmas, 3 * sigmas)
        values = values + (pulls - cross @ change) / rates
        step = step + change
        twist = normalise(adjoint(exp_se3(basis @ step)) @ given)
    errors = log_se3(motion @ inverse(exp_se3(values[:, None] * twist)))
    costs = _costs(errors, metric)
    likelihood = log_likelihood(costs, options) - 0.5 * float(((step / sigmas) ** 2).sum())
    return AlternativeFit(twist, values, costs, likelihood, step, information)


def _basis(given: Array, candidate: JointCandidate) -> Array:
    """Perturbations (6, 4) of the line: two turns about its point and two shifts."""
    revolute = np.array(candidate.type == "revolute")
    return line_perturbations(given, candidate.point, revolute)


def _starting_values(twist: Array, motion: Array, metric: Array, revolute: bool) -> Array:
    """Values (F,): the best of a turn, or how far the motion goes along the axis."""
    if not revolute:
        rate = metric @ twist
        return np.einsum("fi,fi->f", rate, log_se3(motion)) / (rate @ twist + 1e-12)
    tried = np.linspace(-np.pi, np.pi, STARTS, endpoint=False)
    errors = log_se3(motion[:, None] @ inverse(exp_se3(tried[:, None] * twist)))
    costs = np.einsum("fsi,fij,fsj->fs", errors, metric, errors)
    return tried[costs.argmin(axis=1)]


def _costs(errors: Array, metric: Array) -> Array:
    return np.asarray(np.maximum(np.einsum("fi,fij,fj->f", errors, metric, errors), 0.0))
