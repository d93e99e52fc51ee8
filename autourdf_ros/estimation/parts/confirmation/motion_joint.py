"""Propose the joint that the tracked motion itself shows, where no alternative fits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.common.joint_fit import (
    JointFit,
    fit_prismatic,
    fit_revolute,
    on_axes,
)
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.confirmation.alternative_fit import (
    COORDINATES,
    AlternativeFit,
    fit_alternative,
)
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.confirmation_result import MotionJoint
from autourdf_ros.estimation.parts.confirmation.joint_weighing import (
    LEAST_FRAMES,
    RelativeMotion,
    WeighedJoint,
)
from autourdf_ros.estimation.parts.confirmation.verdicts import deviations
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_se3

SOURCE = "motion"
"""Name of what proposed the joint."""
LINE = {"revolute": 4, "prismatic": 2}
"""Parameters of a joint's line."""


def motion_joint(
    joint: EdgeJoint,
    weighed: WeighedJoint,
    relative: RelativeMotion,
    body: tuple[Array, float],
    noise: float,
    options: ConfirmationOptions,
) -> MotionJoint | None:
    """Return the joint of one degree of freedom that fits the motion best.

    Its probability is against the given alternatives and the other type. The free line costs what
    its parameters cost (Schwarz, 1978).

    Args:
        joint: With the alternatives.
        weighed: The alternatives by motion.
        relative: Motion of the child against the parent.
        body: Centre (3,) and size (m) of the child.
        noise: Standard deviation of a point along its normal (m).
        options: Constants.

    Returns:
        None where fewer than three frames show the child away from where it was given: any such
        motion is one of a joint.
    """
    centre, size = body
    if _moved_frames(relative, noise, options) < LEAST_FRAMES:
        return None
    motion, metric = relative.motion[:, None], relative.metric[:, None]
    candidates = [
        _candidate(fit, centre, joint.best.score)
        for fit in (fit_revolute(motion, metric), fit_prismatic(motion, metric))
    ]
    fits = [
        fit_alternative(one, relative.motion, relative.metric, size, options) for one in candidates
    ]
    shares = _posterior(joint, weighed, candidates, fits, options)
    best = int(shares.argmax())
    found, fit = replace(candidates[best], probability=float(shares[best])), fits[best]
    values = fit.values
    angle, offset = deviations(found, fit)
    residual = relative.surface_error(fit.costs, noise, options)
    return MotionJoint(found, relative.frames, values, residual, angle, offset)


def _moved_frames(relative: RelativeMotion, noise: float, options: ConfirmationOptions) -> int:
    """Frames in which the child is not where it was given."""
    errors = log_se3(relative.motion)
    costs = np.einsum("fi,fij,fj->f", errors, relative.metric, errors)
    away = relative.surface_errors(costs, noise) > options.least_motion * noise
    return int(np.count_nonzero(away))


def _candidate(fit: JointFit, centre: Array, score: float) -> JointCandidate:
    """The fitted joint, its point next to the centre of the child."""
    twist, turns = fit.twists[0], fit.type == "revolute"
    axis = twist[:3] if turns else twist[3:]
    point = on_axes(twist, centre, np.array(turns))
    return JointCandidate(fit.type, axis, point, score, source=SOURCE)


def _posterior(
    joint: EdgeJoint,
    weighed: WeighedJoint,
    candidates: Sequence[JointCandidate],
    fits: Sequence[AlternativeFit],
    options: ConfirmationOptions,
) -> Array:
    """Probabilities (2,) of the free joints, beside all alternatives."""
    given = np.array([fit.log_likelihood for fit in weighed.fits])
    given += np.log((1 - options.unlisted) / len(given))
    coordinates = max(COORDINATES * len(fits[0].costs), 2)
    line = np.array([LINE[one.type] / 2 for one in candidates])
    free = np.array([fit.log_likelihood for fit in fits])
    free += np.log(options.unlisted / len(free)) - line * np.log(coordinates)
    logs = np.append(given, free)
    shares = np.exp(logs - logs.max())
    return np.asarray(shares[len(given) :] / shares.sum())
