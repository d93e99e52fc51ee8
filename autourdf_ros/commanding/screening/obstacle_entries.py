"""Obstacles as parameters of a node, or as a file of such parameters. All raise InputError."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.obstacles import Obstacles
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import finite_number, limit_entries

KEEP_OUT, FORBIDDEN = "keep_out", "forbidden"
HEIGHT, CLEARANCE = "minimum_height", "clearance"
MOST_CLEARANCE = 1.0
"""m: more is a mistake."""
_ACCEPTED = (
    f"accepted are {KEEP_OUT}, {HEIGHT}, {CLEARANCE} and {FORBIDDEN} as config/identification.yaml "
    "has them, below /**: and ros__parameters:"
)


def read_obstacles(file: Path, joints: Collection[str]) -> Obstacles:
    """Return the obstacles of a parameter file that has no other parameters.

    Args:
        file: YAML, as nodes take it.
        joints: That are commanded.
    """
    entries, where = limit_entries(file, _ACCEPTED), str(file)
    boxes, ranges = _names(entries, KEEP_OUT, where), _names(entries, FORBIDDEN, where)
    own = (KEEP_OUT, HEIGHT, CLEARANCE, FORBIDDEN)
    if unknown := sorted(set(entries) - {*own, *boxes, *ranges}, key=str):
        raise InputError(f"{where}: {unknown[0]} is unknown; {_ACCEPTED}")
    height, clearance = entries.get(HEIGHT), entries.get(CLEARANCE, Obstacles.clearance)
    clearance = finite_number(clearance, where, CLEARANCE)
    if not 0 <= clearance <= MOST_CLEARANCE:
        raise InputError(
            f"{where}: {CLEARANCE} is {clearance:g}; accepted is 0 to {MOST_CLEARANCE:g} m"
        )
    return Obstacles(
        tuple(
            configurations(name, _parts(entries, name, where), joints, boxes, where)
            for name in ranges
        ),
        tuple(_box(name, _parts(entries, name, where), joints, where) for name in boxes),
        None if height is None else finite_number(height, where, HEIGHT),
        clearance,
    )


def keep_out_box(name: str, lower: Sequence[float], upper: Sequence[float], where: str) -> KeepOut:
    """Return a box of two corners (m); `where` names their origin in errors."""
    for corner, given in (("lower", lower), ("upper", upper)):
        if len(given) != 3:
            raise InputError(
                f"{where}: {name}.{corner} has {len(given)} numbers; accepted is x, y, z of "
                "the corner of a keep_out box"
            )
    for axis, low, high in zip("xyz", lower, upper, strict=True):
        if low >= high:
            raise InputError(
                f"{where}: {name}.lower: is {low:g} in {axis}; accepted is below upper, {high:g}"
            )
    return KeepOut(name, tuple(lower), tuple(upper))


def configurations(
    name: str,
    ranges: Mapping[str, Sequence[float]],
    joints: Collection[str],
    taken: Collection[str],
    where: str,
) -> Forbidden:
    """Return forbidden configurations.

    Args:
        name: Of them.
        ranges: From, to (rad or m) by joint.
        joints: That are commanded.
        taken: Names of boxes, which no configurations may have.
        where: Names their origin in errors.
    """
    refuse_joint(name, joints, FORBIDDEN, where)
    if name in taken:
        raise InputError(f"{where}: {name!r} is in keep_out and in forbidden; accepted is one")
    for joint, given in ranges.items():
        if len(given) != 2 or given[0] >= given[1]:
            raise InputError(
                f"{where}: {name}.{joint} is {list(given)}; accepted are two numbers, the "
                "smaller one first"
            )
    if not ranges or not set(ranges) <= set(joints):
        other = sorted(set(ranges) - set(joints))
        raise InputError(
            f"{where}: forbidden {name!r} names {repr(other[0]) if other else 'no joint'}; "
            f"accepted are ranges of any of {', '.join(joints)}"
        )
    return Forbidden(name, {joint: (given[0], given[1]) for joint, given in ranges.items()})


def refuse_joint(name: str, joints: Collection[str], key: str, where: str) -> None:
    """Refuse the name of a joint for an obstacle, since one name is one entry."""
    if name in joints:
        raise InputError(f"{where}: {key} names {name!r}, which is a joint; accepted is another")


def _box(
    name: str, parts: Mapping[str, Sequence[float]], joints: Collection[str], where: str
) -> KeepOut:
    refuse_joint(name, joints, KEEP_OUT, where)
    if set(parts) != {"lower", "upper"}:
        raise InputError(f"{where}: {name} has {', '.join(parts)}; accepted is lower and upper")
    return keep_out_box(name, parts["lower"], parts["upper"], where)


def _names(entries: Mapping[str, Any], key: str, where: str) -> list[str]:
    names = entries.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: {key} is {names!r}; accepted is a list of names")
    return names


def _parts(entries: Mapping[str, Any], name: str, where: str) -> dict[str, list[float]]:
    """Lists of numbers by name, below one name."""
    given = entries.get(name)
    if not isinstance(given, Mapping) or not all(isinstance(one, list) for one in given.values()):
        raise InputError(f"{where}: {name} is {given!r}; accepted are lists of numbers by name")
    return {
        str(part): [finite_number(value, where, f"{name}.{part}") for value in numbers]
        for part, numbers in given.items()
    }
