"""What the weighed joints mean: a status for each joint, and a verdict on the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.confirmation.alternative_fit import AlternativeFit
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.confirmation_result import (
    ConfirmationVerdict,
    JointConfirmation,
    JointStatus,
    MotionJoint,
)
from autourdf_ros.estimation.parts.confirmation.joint_weighing import (
    Parents,
    RelativeMotion,
    WeighedJoint,
)
from autourdf_ros.geometry.arrays import Array

AGREES = 9.49
"""Chi-square of four parameters that 5 % exceed: below it the given axis stays as it is."""
KEPT_SHARE = 0.5
"""Of the largest residual: a given axis that leaves less stays, too."""


def unseen(joint: EdgeJoint, frames: int, names: Sequence[str]) -> JointConfirmation:
    """Return the result of a joint whose parts no frames show together."""
    reason = f"{names[joint.parent]} and {names[joint.child]} are not tracked in enough frames"
    return _unchanged(joint, "unseen", reason, np.full(frames, np.nan))


def judged(
    joint: EdgeJoint,
    weighed: WeighedJoint,
    relative: RelativeMotion,
    parents: Parents,
    frames: int,
    limits: tuple[float, ConfirmationOptions],
    names: Sequence[str],
) -> JointConfirmation:
    """Return the result of a joint.

    Args:
        joint: As given.
        weighed: Its alternatives by motion.
        relative: Motion that they were weighed by.
        parents: Its parent and the next best part.
        frames: Number of frames.
        limits: Largest residual (m), and the constants.
        names: Of the parts.
    """
    largest, options = limits
    values = np.full(frames, np.nan)
    fit = weighed.fits[weighed.best]
    values[relative.frames] = fit.values
    if weighed.moved < options.moved:
        reason = f"{names[joint.child]} did not move against {names[joint.parent]}"
        return _unchanged(joint, "unmoved", reason, values)
    status, reason = _status(joint, weighed, parents, largest, options, names)
    bad = relative.frames[weighed.errors > largest]
    if status != "contradicted" and len(bad):
        reason += f"; not in frame {', '.join(map(str, bad))}, which counts as tracked badly"
    keeps = weighed.given_residual <= largest * KEPT_SHARE
    chosen = joint.alternatives[weighed.best]
    refined = replace(_refined(chosen, fit, keeps), probability=weighed.certainty)
    angle, offset = deviations(chosen, fit)
    return JointConfirmation(
        joint,
        status,
        reason,
        weighed.best,
        weighed.posterior,
        np.array([one.log_likelihood for one in weighed.fits]),
        refined,
        angle,
        offset,
        values,
        parents.probability,
        weighed.residual,
        parents.rival,
        weighed.residual <= largest and weighed.certainty >= options.decided,
    )


def with_motion_joint(
    found: JointConfirmation,
    proposed: MotionJoint,
    parents: Parents,
    limits: tuple[float, ConfirmationOptions],
    names: Sequence[str],
) -> JointConfirmation:
    """Return the result of a joint that no alternative fits, with what motion shows instead.

    It replaces the alternatives only where it fits the motion, its probability decides, and no
    other part may be the parent.

    Args:
        found: The result without it.
        proposed: The joint that motion shows.
        parents: The joint's parent and the next best part.
        limits: Largest residual (m), and the constants.
        names: Of the parts.
    """
    largest, options = limits
    fits = proposed.residual <= largest
    alone = parents.rival is None or parents.probability >= options.decided
    sure = proposed.joint.probability >= options.decided
    if parents.rival_fits or not (fits and alone and sure):
        return replace(found, proposed=proposed if fits else None)
    values = np.full(len(found.values), np.nan)
    values[proposed.frames] = proposed.values
    child, parent = names[found.joint.child], names[found.joint.parent]
    return replace(
        found,
        status="replaced",
        reason=f"{child} moves on {parent} by a {proposed.joint.type} joint that no alternative "
        "is: the one of the motion replaces them",
        refined=proposed.joint,
        angle_sigma=proposed.angle_sigma,
        offset_sigma=proposed.offset_sigma,
        values=values,
        residual=proposed.residual,
        decides=True,
        proposed=proposed,
    )


def verdict_of(
    joints: Sequence[JointConfirmation], doubts: Sequence[str]
) -> tuple[ConfirmationVerdict, tuple[str, ...]]:
    """Return the verdict, and a sentence for every joint that is not confirmed."""
    reasons = (*doubts, *(one.reason for one in joints if one.status != "confirmed"))
    statuses = {one.status for one in joints}
    if doubts or "contradicted" in statuses:
        return "doubtful", reasons
    if statuses == {"confirmed"}:
        return "confirmed", reasons
    return ("partly confirmed" if statuses & {"confirmed", "replaced"} else "undecided"), reasons


def _status(
    joint: EdgeJoint,
    weighed: WeighedJoint,
    parents: Parents,
    largest: float,
    options: ConfirmationOptions,
    names: Sequence[str],
) -> tuple[JointStatus, str]:
    child, parent = names[joint.child], names[joint.parent]
    rival = "" if parents.rival is None else names[parents.rival]
    if weighed.residual > largest:
        if parents.rival_fits and parents.probability < 1 - options.decided:
            return "contradicted", f"{child} moves by one joint on {rival}, not on {parent}"
        return "contradicted", (
            f"{child} does not move on {parent} by any alternative: the best leaves "
            f"{1000 * weighed.residual:.1f} mm where {1000 * largest:.1f} mm are accepted"
        )
    if parents.rival_fits or (parents.probability < options.decided and rival):
        return "undecided", f"{child} moves by one joint on {parent} and on {rival} alike"
    if weighed.certainty < options.decided:
        return "undecided", f"several alternatives of {child} on {parent} fit the motion"
    return "confirmed", f"{child} moves on {parent} as alternative {weighed.best + 1} says"


def deviations(given: JointCandidate, fit: AlternativeFit) -> tuple[float, float]:
    """Return the standard deviations of a joint's axis (rad) and of its place across it (m).

    NaN for a fixed joint, and the second for a prismatic one.
    """
    if given.type == "fixed":
        return float("nan"), float("nan")
    count = 4 if given.type == "revolute" else 2
    covariance = np.linalg.pinv(fit.information[:count, :count], hermitian=True)
    angle = float(np.sqrt(max(np.trace(covariance[:2, :2]), 0.0) / 2))
    offset = (
        float(np.sqrt(max(np.trace(covariance[2:, 2:]), 0.0) / 2)) if count == 4 else float("nan")
    )
    return angle, offset


def _refined(given: JointCandidate, fit: AlternativeFit, keeps: bool) -> JointCandidate:
    """The alternative, with its axis refined where the motion says other."""
    if given.type == "fixed" or keeps:
        return given
    count = 4 if given.type == "revolute" else 2
    step, information = fit.step[:count], fit.information[:count, :count]
    return given if step @ information @ step < AGREES else _moved(given, fit.twist)


def _moved(given: JointCandidate, twist: Array) -> JointCandidate:
    """The candidate on another line; its point stays as near as it can."""
    if given.type == "prismatic":
        return replace(given, axis=twist[3:])
    axis, foot = twist[:3], line_point(twist)
    return replace(given, axis=axis, point=foot + ((given.point - foot) @ axis) * axis)


def _unchanged(
    joint: EdgeJoint, status: JointStatus, reason: str, values: Array
) -> JointConfirmation:
    count = len(joint.alternatives)
    given = np.array([one.probability for one in joint.alternatives])
    posterior = given if np.all(np.isfinite(given)) else np.full(count, 1 / count)
    nan = float("nan")
    return JointConfirmation(
        joint,
        status,
        reason,
        0,
        posterior,
        np.zeros(count),
        joint.best,
        nan,
        nan,
        values,
        joint.edge_probability,
        nan,
    )
