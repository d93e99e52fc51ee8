"""Joint limits: what a robot may do at most. Nothing moves without them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from autourdf_ros.errors import InputError
from autourdf_ros.files.yaml_reading import parse_yaml


@dataclass(frozen=True)
class JointLimits:
    """Limits of one joint.

    Attributes:
        lower, upper: Positions (rad or m).
        velocity, acceleration: Largest absolute value, per s and per s^2.
    """

    lower: float
    upper: float
    velocity: float
    acceleration: float

    @property
    def span(self) -> float:
        """Length of the position range."""
        return self.upper - self.lower


Limits = Mapping[str, JointLimits]

_ACCEPTED = "accepted is a file as config/robots/panda.yaml"

FIELDS = tuple(field.name for field in fields(JointLimits))


def parse_limits(
    entries: Mapping[str, Any], source: str = "joint limits"
) -> dict[str, JointLimits]:
    """Read `joints: [a, ...]` and for each of them `a: {lower, upper, velocity, acceleration}`.

    Args:
        source: Names the file or node in errors.

    Raises:
        InputError: naming the entry that is missing, unknown, no finite number, or impossible.
    """
    names = joint_names(entries, source)
    return {name: _parse_joint(entries.get(name), f"{source}: {name}") for name in names}


def joint_names(entries: Mapping[str, Any], source: str) -> list[str]:
    """Return the names of joints in a file of limits, and no others.

    Raises InputError.
    """
    names = entries.get("joints")
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise InputError(f"{source}: joints is {names!r}; accepted is a list of joint names")
    if len(set(names)) != len(names):
        raise InputError(f"{source}: joints names a joint twice: {names}")
    unknown = sorted(set(entries) - set(names) - {"joints"}, key=str)
    if unknown:
        raise InputError(
            f"{source}: limits of {unknown[0]!r}, which is not among joints: {', '.join(names)}"
        )
    return names


def read_limits(file: Path | str) -> dict[str, JointLimits]:
    """Read limits from a YAML file as written by `limits_yaml`. Raises InputError."""
    return parse_limits(limit_entries(file), str(file))


def limit_entries(file: Path | str, accepted: str = _ACCEPTED) -> dict[str, Any]:
    """Read a YAML file of limits, as `parse_limits` takes it: of the capture node, or of any (/**).

    Args:
        file: Of parameters.
        accepted: What errors say that is accepted.

    Raises:
        InputError: the file cannot be read, or has no such parameters.
    """
    file = Path(file)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{file}: does not exist; {accepted}") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}; {accepted}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not readable as YAML: {error}") from error
    content = parse_yaml(text, str(file))
    try:
        entries = content.get("capture", content.get("/**"))["ros__parameters"]
    except (AttributeError, TypeError, KeyError):
        entries = None
    if not isinstance(entries, dict):
        raise InputError(f"{file}: has no capture: ros__parameters:; {accepted}")
    return entries


def limits_yaml(limits: Limits, comment: str = "") -> str:
    """Return the text of a parameter file for the capture node."""
    entries: dict[str, Any] = {"joints": list(limits)}
    for name, joint in limits.items():
        entries[name] = {key: round(value, 6) for key, value in asdict(joint).items()}
    text = yaml.safe_dump({"capture": {"ros__parameters": entries}}, sort_keys=False)
    return "".join(f"# {line}\n" for line in comment.splitlines()) + text


def _parse_joint(entry: Any, where: str) -> JointLimits:
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: limits are missing; accepted is {', '.join(FIELDS)}")
    unknown = sorted(set(entry) - set(FIELDS), key=str)
    if unknown:
        raise InputError(f"{where}.{unknown[0]}: unknown; accepted is {', '.join(FIELDS)}")
    limits = JointLimits(**{key: finite_number(entry.get(key), where, key) for key in FIELDS})
    if limits.lower >= limits.upper:
        raise InputError(
            f"{where}.lower: is {limits.lower}; accepted is below upper, {limits.upper}"
        )
    for key in ("velocity", "acceleration"):
        if getattr(limits, key) <= 0:
            raise InputError(f"{where}.{key}: is {getattr(limits, key)}; accepted is above 0")
    return limits


def finite_number(value: Any, where: str, key: str) -> float:
    """Return a number of YAML.

    Raises InputError naming the entry where it is none, or not finite.
    """
    if value is None:
        raise InputError(f"{where}.{key}: is missing; accepted is a finite number")
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}.{key}: is {value!r}; accepted is a finite number")
    return number
