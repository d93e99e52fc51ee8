"""What changed of each joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from autourdf_ros.assessment.comparison.model_alignment import Alignment
from autourdf_ros.geometry.lines import axis_angle, perpendicular_distance
from autourdf_ros.model.urdf.described_robot import DescribedJoint

SIGMAS = 4.0
"""Standard deviations beyond which a difference of estimates is a change (of two components, chance
exceeds it once in 3000)."""

SAME_ANGLE, SAME_LENGTH = np.radians(0.05), 5e-5
"""rad, m up to which joints of two URDFs are the same: more than the rounding of files."""

MEASURED_ANGLE, MEASURED_LENGTH = np.radians(0.3), 1e-3
"""The same where one robot is a reconstruction, whatever its standard deviations: these do not
include what biases a whole recording, such as cameras. Two recordings of a Panda differed by 0.3°
and 0.8 mm, up to seven of these standard deviations."""

SAME_LIMIT = 1e-3  # rad or m

Limits = tuple[float, float] | None


@dataclass(frozen=True)
class JointChange:
    """A joint that both robots have; differences are second minus first.

    Attributes:
        names: In the first and in the second robot.
        types: In both robots.
        parents: The parent links in both robots.
        angle: Between the axes (rad).
        distance: From the first's origin to the second's axis after the shift (m); None unless
            both are revolute.
        angle_sigmas: `angle` in standard deviations; None where neither robot reports any.
        distance_sigmas: `distance` in standard deviations; None likewise.
        reversed: Whether the second counts in the opposite direction.
        zero: Offset of the zero (rad or m).
        limits: (lower, upper) of both in the first's coordinate (rad or m); None without limits.
        changed: A phrase for every significant change.
    """

    names: tuple[str, str]
    types: tuple[str, str]
    parents: tuple[str, str]
    angle: float
    distance: float | None
    angle_sigmas: float | None
    distance_sigmas: float | None
    reversed: bool
    zero: float
    limits: tuple[Limits, Limits]
    changed: tuple[str, ...] = field(default=())


def joint_changes(alignment: Alignment) -> tuple[JointChange, ...]:
    """Compare the joints that both robots have, in the common pose.

    Limits are compared as values of the first robot's joint. The limits of two results are the
    ranges that their recordings showed: `JointChange.limits` has them, but they are no change.
    """
    return tuple(_compared(alignment, a, b) for a, b in alignment.pairs)


def _compared(alignment: Alignment, a: str, b: str) -> JointChange:
    first, second, zeros = alignment.first, alignment.second, alignment.zeros
    here, there = (
        skeleton.joint(name) for skeleton, name in zip(alignment.skeletons, (a, b), strict=True)
    )
    one, two = first.joints[a], second.joints[b]
    angle = float(np.radians(axis_angle(here.axis, there.axis)))
    distance = None
    if here.type == there.type == "revolute":
        distance = perpendicular_distance(here.point, there.point + alignment.shift, there.axis)
    change = JointChange(
        (a, b),
        (one.type, two.type),
        (one.parent, two.parent),
        angle,
        distance,
        _sigmas(angle, _std(alignment, a, b, "axis_std")),
        None if distance is None else _sigmas(distance, _std(alignment, a, b, "line_std")),
        a in zeros.reversed,
        zeros.offsets.get(a, 0.0),
        (_limits(one), _in_first(_limits(two), a in zeros.reversed, zeros.offsets.get(a, 0.0))),
    )
    return replace(change, changed=tuple(_changed(change, alignment)))


def _changed(change: JointChange, alignment: Alignment) -> Iterator[str]:
    results = [robot.document is not None for robot in (alignment.first, alignment.second)]
    same_angle = MEASURED_ANGLE if any(results) else SAME_ANGLE
    same_length = MEASURED_LENGTH if any(results) else SAME_LENGTH
    if change.types[0] != change.types[1]:
        yield f"type {change.types[0]} -> {change.types[1]}"
    if not _same_parent(change, alignment):
        yield f"parent {change.parents[0]} -> {change.parents[1]}"
    if "prismatic" in change.types and change.types[0] != change.types[1]:
        return  # axis and zero of different joint types cannot be compared
    if change.angle > same_angle and _clear(change.angle_sigmas):
        yield f"axis {np.degrees(change.angle):.2f}°"
    if (change.distance or 0.0) > same_length and _clear(change.distance_sigmas):
        yield f"line {1e3 * (change.distance or 0.0):.2f} mm"
    if change.reversed and not _only_counted(alignment):
        yield "direction reversed"
    if change.zero:
        slides = change.types[0] == "prismatic"
        size = f"{1e3 * change.zero:+.2f} mm" if slides else f"{np.degrees(change.zero):+.2f}°"
        if not _only_counted(alignment):
            yield f"zero {size}"
    if not all(results) and _differ(*change.limits):
        yield f"limits {_limits_text(change, 0)} -> {_limits_text(change, 1)}"


def _only_counted(alignment: Alignment) -> bool:
    """Whether zeros and directions come from a first frame, which differs without any change."""
    return not (alignment.first.named and alignment.second.named)


def _same_parent(change: JointChange, alignment: Alignment) -> bool:
    """Whether the bodies before the joint are children of the same joint, or both the root."""
    before = []
    for skeleton, name in zip(alignment.skeletons, change.names, strict=True):
        body = skeleton.joint(name).parent
        above = [joint.name for joint in skeleton.joints if joint.child == body]
        before.append(above[0] if above else None)
    ours, theirs = before
    return dict(alignment.pairs).get(ours) == theirs if ours is not None else theirs is None


def _std(alignment: Alignment, a: str, b: str, quantity: str) -> float | None:
    """Standard deviation of the difference, from both robots' own; a bare URDF has none."""
    stds = [alignment.first.std(a, quantity), alignment.second.std(b, quantity)]
    known = [std for std in stds if std is not None]
    return float(np.linalg.norm(known)) if known else None


def _sigmas(difference: float, std: float | None) -> float | None:
    return None if not std else difference / std


def _clear(sigmas: float | None) -> bool:
    return sigmas is None or sigmas > SIGMAS


def _limits(joint: DescribedJoint) -> Limits:
    if joint.limit is None or joint.type == "continuous":
        return None
    return joint.limit.lower, joint.limit.upper


def _in_first(limits: Limits, reversed_: bool, offset: float) -> Limits:
    """Limits of the second robot's joint as values of the first's."""
    if limits is None:
        return None
    lower, upper = (limit - offset for limit in limits)
    return (-upper, -lower) if reversed_ else (lower, upper)


def _differ(one: Limits, two: Limits) -> bool:
    if one is None or two is None:
        return one is not two
    return bool(np.max(np.abs(np.subtract(one, two))) > SAME_LIMIT)


def _limits_text(change: JointChange, side: int) -> str:
    limits = change.limits[side]
    if limits is None:
        return "none"
    scale, unit = (1e3, " mm") if change.types[side] == "prismatic" else (180 / np.pi, "°")
    return f"{scale * limits[0]:.1f} .. {scale * limits[1]:.1f}{unit}"
