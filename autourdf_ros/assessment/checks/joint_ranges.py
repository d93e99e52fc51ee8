"""Check the axes, limits and mimics of joints."""

from __future__ import annotations

import numpy as np

from autourdf_ros.assessment.checks.finding import Finding, concluded, skipped
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.model.urdf.described_robot import DescribedJoint

LIMITS = "limits"

MOST = {"revolute": 4 * np.pi, "prismatic": 10.0}
"""rad or m from zero: two turns; longer than a linear axis of a robot."""

_UNITS = {"revolute": "rad", "prismatic": "m"}
_ROUNDING = 1e-3  # rad or m that a recorded value may exceed a rounded limit by


def check_limits(subject: Subject) -> tuple[Finding, ...]:
    """Check that every moving joint has an axis, a range, and limits of effort and velocity.

    Its recorded values must be within its range, and a mimic must follow another moving joint.
    """
    joints = subject.robot.moving_joints
    if not joints:
        return skipped(LIMITS, "no joint moves")
    failures = [failure for joint in joints for failure in (*_range(joint), *_drive(joint))]
    failures += [failure for joint in joints for failure in _mimic(joint, subject)]
    failures += _recorded(subject)
    return concluded(LIMITS, failures, f"{len(joints)} joints that move")


def _range(joint: DescribedJoint) -> list[str]:
    where = f"joint '{joint.name}'"
    failures = []
    if not np.linalg.norm(joint.axis) > 0:
        failures.append(f"{where} has axis {joint.axis.tolist()}; accepted is one with a direction")
    if joint.type == "continuous":
        return failures
    if joint.limit is None:
        return [*failures, f"{where} is {joint.type}, but has no limit"]
    lower, upper = (np.nan_to_num(x) for x in (joint.limit.lower, joint.limit.upper))
    most, unit = MOST[joint.type], _UNITS[joint.type]
    has = f"{where} has limits {lower:.6g} .. {upper:.6g} {unit}"
    if not lower < upper:
        failures.append(f"{has}; accepted is lower below upper")
    elif max(abs(lower), abs(upper)) > most * 1.001:
        failures.append(f"{has}; accepted are {-most:.4g} .. {most:.4g} {unit}")
    return failures


def _drive(joint: DescribedJoint) -> list[str]:
    if joint.limit is None:
        return []
    values = {"effort": joint.limit.effort, "velocity": joint.limit.velocity}
    return [
        f"joint '{joint.name}' has {name} limit {value:g}; accepted is above 0"
        for name, value in values.items()
        if not 0 < value < np.inf
    ]


def _mimic(joint: DescribedJoint, subject: Subject) -> list[str]:
    if joint.mimic is None:
        return []
    where = f"joint '{joint.name}'"
    leaders = {other.name: other.mimic for other in subject.robot.moving_joints}
    followed, seen = joint.mimic.joint, {joint.name}
    while followed in leaders and followed not in seen:
        mimic = leaders[followed]
        if mimic is None:
            return []
        seen.add(followed)
        followed = mimic.joint
    if followed in seen:
        return [f"{where} mimics itself by way of '{joint.mimic.joint}'"]
    return [f"{where} mimics '{followed}', which is no joint that moves"]


def _recorded(subject: Subject) -> list[str]:
    """Return a failure for each joint that was recorded beyond its limits."""
    if subject.recorded is None or not len(subject.recorded.values):
        return []
    joints = {joint.name: joint for joint in subject.robot.moving_joints}
    lowest, highest = subject.recorded.values.min(0), subject.recorded.values.max(0)
    failures = []
    for name, low, high in zip(subject.recorded.names, lowest, highest, strict=True):
        limit = joints[name].limit if name in joints else None
        if limit is not None and (low < limit.lower - _ROUNDING or high > limit.upper + _ROUNDING):
            failures.append(
                f"joint '{name}' was recorded at {low:.4g} .. {high:.4g}, but its limits are "
                f"{limit.lower:.4g} .. {limit.upper:.4g}"
            )
    return failures
