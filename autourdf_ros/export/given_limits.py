"""Limits that are known from elsewhere, such as those under which a robot was captured."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.drive_limits import DriveLimits, assumed_limits
from autourdf_ros.model.limits.joint_limits import following
from autourdf_ros.model.limits.motion_limits import (
    FIELDS,
    finite_number,
    joint_names,
    limit_entries,
)
from autourdf_ros.model.limits.urdf_limits import urdf_limits
from autourdf_ros.model.self_model import Joint, SelfModel

_NUMBERED = re.compile(r"joint_\d+")


@dataclass(frozen=True)
class GivenLimits:
    """Limits of a motor, or of a joint: positions (rad or m), infinite where it has none.

    Attributes:
        velocity, acceleration: Per s and s².
        effort: N m or N, None where it is not known.
    """

    lower: float
    upper: float
    velocity: float
    acceleration: float
    effort: float | None = None


def read_given_limits(file: Path) -> dict[str, GivenLimits]:
    """Read the capture's YAML file of limits; `effort` may stand there as well.

    Other parameters of the capture are passed over, but its `urdf` states what the file does not.
    What has neither lower nor upper has no limits. Raises InputError naming the file and the entry.
    """
    content = limit_entries(file)
    named = [content.get(key) for key in ("keep_out", "forbidden")]
    boxes = [box for names in named if isinstance(names, list) for box in names]
    entries = {
        name: entry
        for name, entry in content.items()
        if name == "joints" or (isinstance(entry, Mapping) and name not in boxes)
    }
    names = joint_names(entries, str(file))
    urdf = content.get("urdf")
    if urdf:
        if not isinstance(urdf, str):
            raise InputError(f"{file}: urdf is {urdf!r}; accepted is the path of a URDF file")
        known = urdf_limits(Path(urdf).expanduser(), names, str(file))
        entries |= {name: known[name] | dict(entries.get(name) or {}) for name in names}
    return {name: _parse(entries.get(name), f"{file}: {name}") for name in names}


def _parse(entry: Any, where: str) -> GivenLimits:
    accepted = (*FIELDS, "effort", "stop_effort")  # the last is the capture's
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: limits are missing; accepted is {', '.join(accepted)}")
    unknown = sorted(set(entry) - set(accepted))
    if unknown:
        raise InputError(f"{where}.{unknown[0]}: unknown; accepted is {', '.join(accepted)}")
    bounded = "lower" in entry or "upper" in entry
    needed = [key for key in FIELDS if bounded or key not in ("lower", "upper")]
    needed += ["effort"] if "effort" in entry else []
    numbers = {key: finite_number(entry.get(key), where, key) for key in needed}
    for key in needed:
        if key not in ("lower", "upper") and numbers[key] <= 0:
            raise InputError(f"{where}.{key}: is {numbers[key]}; accepted is above 0")
    if bounded and numbers["lower"] >= numbers["upper"]:
        raise InputError(
            f"{where}.lower: is {numbers['lower']}; accepted is below upper, {numbers['upper']}"
        )
    return GivenLimits(**({"lower": -np.inf, "upper": np.inf} | numbers))


def check_names(given: Collection[str], motors: Collection[str], source: Path) -> None:
    """Raise InputError where a name is neither a motor's nor, like joint_3, may be a joint's.

    Long work calls it first.

    Args:
        motors: Names in the recording.
        source: The file of the limits.
    """
    for name in given:
        if name not in motors and not _NUMBERED.fullmatch(name):
            known = ", ".join(sorted(motors)) or "none, as there are no joint readings to use"
            raise InputError(
                f"{source}: limits of {name!r}, which is no motor of the recording; accepted are "
                f"its motors ({known}), and joint_1, joint_2 and so on for joints without one"
            )


def with_limits(
    model: SelfModel, given: Mapping[str, GivenLimits], seen: NDArray[np.float64]
) -> tuple[SelfModel, dict[str, DriveLimits], list[str]]:
    """Return the model with given limits, the drive limits by joint name, and notes.

    Joints that mimic one another share the limits of the one that they follow. A joint that was
    surely seen beyond its limits gets such as hold what was seen. Notes report this, and limits
    without a joint.

    Args:
        model: The model.
        given: By a joint's own name, or else by its motor's; the latter are turned into the joint's
            values by the motor's ratio and offset.
        seen: (J, 2) least and greatest value (rad or m) that each joint surely reached or went
            beyond; inf and -inf where it was never seen.
    """
    moved = {_motor(joint) for joint in model.joints} | {joint.name for joint in model.joints}
    notes = [
        f"limits of {name!r} are given, but it moves no joint of the model"
        for name in given
        if name not in moved
    ]
    drives: dict[str, DriveLimits] = {}
    joints: dict[str, Joint] = {}
    masters_first = sorted(model.joints, key=lambda joint: joint.mimic is not None)
    for joint in masters_first:
        own = _own_limits(joint, given)
        if joint.mimic is not None and joint.name not in given:
            # Its motor's limits are its master's already.
            joints[joint.name] = following(joint, joints[joint.mimic.joint])
            if joint.mimic.joint in drives:
                drives[joint.name] = _geared(drives[joint.mimic.joint], joint.mimic.multiplier)
        elif own is None:
            joints[joint.name] = joint
        else:
            lowest, highest = seen[model.joints.index(joint)].tolist()
            joints[joint.name], said = _limited(joint, own, (lowest, highest))
            notes += said
            drives[joint.name] = DriveLimits(
                own.velocity, own.effort or assumed_limits(joint).effort, own.acceleration
            )
    changed = model.with_parts(joints=[joints[joint.name] for joint in model.joints])
    return changed, drives, notes


def _motor(joint: Joint) -> str | None:
    motor = None if joint.estimate is None else joint.estimate.motor
    return None if motor is None else motor.name


def _own_limits(joint: Joint, given: Mapping[str, GivenLimits]) -> GivenLimits | None:
    """In the joint's own values: value = (reading - offset) / ratio."""
    if joint.name in given:
        return given[joint.name]
    motor = None if joint.estimate is None else joint.estimate.motor
    if motor is None or motor.name not in given:
        return None
    limits, size = given[motor.name], abs(motor.ratio)
    ends = [(end - motor.offset) / motor.ratio for end in (limits.lower, limits.upper)]
    effort = None if limits.effort is None else limits.effort * size
    return GivenLimits(
        min(ends), max(ends), limits.velocity / size, limits.acceleration / size, effort
    )


def _geared(drive: DriveLimits, multiplier: float) -> DriveLimits:
    """Of a joint that moves `multiplier` times as far with the same power."""
    size = abs(multiplier)
    return DriveLimits(drive.velocity * size, drive.effort / size, drive.acceleration * size)


def _limited(
    joint: Joint, limits: GivenLimits, seen: tuple[float, float]
) -> tuple[Joint, list[str]]:
    if np.isinf(limits.lower):
        if joint.type == "prismatic":
            return joint, [
                f"limits of {joint.name!r} are given without lower and upper, but it slides: they "
                "are as it was seen to move"
            ]
        return replace(joint, type="continuous", lower=-np.inf, upper=np.inf), []
    lower, upper = min(limits.lower, seen[0]), max(limits.upper, seen[1])
    notes = []
    if (lower, upper) != (limits.lower, limits.upper):
        notes.append(
            f"joint {joint.name!r} was seen beyond its given limits, {limits.lower:.4g} to "
            f"{limits.upper:.4g}: they are widened to {lower:.4g} to {upper:.4g}"
        )
    kind = "revolute" if joint.type == "continuous" else joint.type
    # It may be beyond them by less than is sure, but a model must be able to stand there.
    lower, upper = min(lower, joint.reference), max(upper, joint.reference)
    return replace(joint, type=kind, lower=lower, upper=upper), notes
