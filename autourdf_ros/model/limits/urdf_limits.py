"""Limits of joints from a URDF that exists already, which YAML completes and narrows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import FIELDS, JointLimits, parse_limits
from autourdf_ros.model.urdf.described_robot import MOVING, DescribedJoint
from autourdf_ros.model.urdf.urdf_reading import read_description

Given = Mapping[str, Mapping[str, float | None]]
"""Numbers of `FIELDS` by joint; None, or absent, where nothing is given."""

_ROUNDING = 1e-4  # rad or m by which a number that was written with few digits may be wider


def complete_limits(given: Given, urdf: Path, where: str) -> dict[str, JointLimits]:
    """Return the limits of the joints of `given`, from the URDF where nothing is given.

    What is given may only be narrower than the URDF's. A URDF has no accelerations, and no
    positions of a continuous joint: these must be given.

    Args:
        where: Names the node or file in errors.

    Raises:
        InputError: naming the joint and what is missing, wider than the URDF's or impossible.
    """
    described = urdf_limits(urdf, given, where)
    entries: dict[str, object] = {"joints": list(given)}
    for name, fields in given.items():
        known = described[name]
        _refuse_wider(name, fields, known, urdf, where)
        entries[name] = {
            field: _either(name, field, fields.get(field), known.get(field), where)
            for field in FIELDS
        }
    return parse_limits(entries, where)


def urdf_limits(urdf: Path, names: Iterable[str], where: str) -> dict[str, dict[str, float]]:
    """Return those of lower, upper and velocity that a URDF states, by joint.

    Raises InputError where it is none, or lacks a joint that could be commanded.
    """
    described = {joint.name: joint for joint in read_description(urdf).joints}
    return {name: _known(name, described, urdf, where) for name in names}


def _known(
    name: str, described: Mapping[str, DescribedJoint], urdf: Path, where: str
) -> dict[str, float]:
    """What the URDF says of a joint that can be commanded."""
    joint = described.get(name)
    if joint is None:
        raise InputError(
            f"{where}: {urdf} has no joint {name!r}; it has {', '.join(sorted(described))}"
        )
    if joint.type not in MOVING or joint.mimic is not None:
        kind = f"mimics {joint.mimic.joint}" if joint.mimic is not None else f"is {joint.type}"
        raise InputError(
            f"{where}: joint {name!r} of {urdf} {kind}; accepted are joints of their own of type "
            f"{', '.join(MOVING)}"
        )
    if joint.limit is None:
        return {}
    fields = FIELDS[2:3] if joint.type == "continuous" else FIELDS[:3]
    numbers = {field: getattr(joint.limit, field) for field in fields}
    return {field: number for field, number in numbers.items() if math.isfinite(number)}


def _refuse_wider(
    name: str,
    given: Mapping[str, float | None],
    known: Mapping[str, float],
    urdf: Path,
    where: str,
) -> None:
    for field, number in given.items():
        bound = known.get(field)
        if number is None or bound is None:
            continue
        beyond = bound - number if field == "lower" else number - bound
        if beyond > _ROUNDING:
            end = "at least" if field == "lower" else "at most"
            raise InputError(
                f"{where}: {name}.{field}: is {number:g}, wider than {bound:g} of {urdf}; "
                f"accepted is {end} that"
            )


def _either(
    name: str, field: str, given: float | None, known: float | None, where: str
) -> float | None:
    if given is not None and known is not None:
        return max(given, known) if field == "lower" else min(given, known)
    if given is None and known is None:
        raise InputError(
            f"{where}: {name}.{field}: is missing, and the URDF does not state it; accepted is a "
            "finite number"
        )
    return known if given is None else given
