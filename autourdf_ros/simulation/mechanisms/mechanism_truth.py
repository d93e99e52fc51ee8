"""Truth of a mechanism's video, in memory and as a file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismJoint, MechanismParameter

Array = NDArray[np.float64]

MECHANISM_TRUTH_FILE = "truth.json"


@dataclass(frozen=True)
class BodyInertia:
    """mass: kg. centre: (3,) m. inertia: (3, 3) kg m² about it; all in the body's frame."""

    mass: float
    centre: Array
    inertia: Array


@dataclass(frozen=True)
class MechanismTruth:
    """What a simulated video shows.

    Attributes:
        scene: Name of the scene.
        bodies: B names; masks number them from 1.
        drivers: Those of the bodies that belong to the robot that pushes.
        joints: In the world where all joint values are 0, parents first.
        coordinates: J names of joint values, the order of all columns.
        parameters: True parameters with their limits.
        inertias: One a body of the mechanism.
        homes: (B, 4, 4) the bodies' frames in the world where all joint values are 0.
        stamps: (T,) of the frames (s).
        poses: (B, T, 4, 4) of the bodies' frames in the world.
        positions: (T, J) joint values (rad or m).
        velocities: (T, J) of the joints.
        forces: (F, J) generalised forces (N m or N) from `force_stamps[k]` until
            `force_stamps[k + 1]`, held between; None: no force acted.
        force_stamps: (F,) seconds; None with `forces`.
        contacts: (F, 2, 3) where the finger pushes (m), and with what force (N), in the world, by
            the name of the body; empty without a finger.
    """

    scene: str
    bodies: tuple[str, ...]
    drivers: tuple[str, ...]
    joints: tuple[MechanismJoint, ...]
    coordinates: tuple[str, ...]
    parameters: tuple[MechanismParameter, ...]
    inertias: dict[str, BodyInertia]
    homes: Array
    stamps: Array
    poses: Array
    positions: Array
    velocities: Array
    forces: Array | None = None
    force_stamps: Array | None = None
    contacts: dict[str, Array] = field(default_factory=dict)


def write_mechanism_truth(truth: MechanismTruth, path: Path) -> None:
    """Write the truth as JSON, whole or not at all."""
    replace_text(path, json.dumps(_plain(truth)))


def read_mechanism_truth(path: Path) -> MechanismTruth:
    """Read what `write_mechanism_truth` wrote.

    Raises:
        InputError: the file cannot be read, or is no such truth.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return _truth(found)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{path}: cannot be read as the truth of a mechanism ({error!r}); accepted is what "
            "`autourdf simulate --mechanism` writes"
        ) from error


def _truth(found: dict[str, Any]) -> MechanismTruth:
    values: dict[str, Any] = {
        name: found[name] if name == "scene" else tuple(found[name])
        for name in ("scene", "bodies", "drivers", "coordinates")
    }
    values["parameters"] = tuple(MechanismParameter(**entry) for entry in found["parameters"])
    values["joints"] = tuple(_joint(entry) for entry in found["joints"])
    values["inertias"] = {
        name: BodyInertia(entry["mass"], np.array(entry["centre"]), np.array(entry["inertia"]))
        for name, entry in found["inertias"].items()
    }
    for name in ("homes", "stamps", "poses", "positions", "velocities"):
        values[name] = np.array(found[name], float)
    for name in ("forces", "force_stamps"):
        values[name] = None if found[name] is None else np.array(found[name], float)
    values["contacts"] = {name: np.array(v, float) for name, v in found["contacts"].items()}
    return MechanismTruth(**values)


def _joint(entry: dict[str, Any]) -> MechanismJoint:
    lines = {name: np.array(entry[name], float) for name in ("axis", "pivot")}
    return MechanismJoint(**(entry | lines))


def _plain(value: Any) -> Any:
    """Return a value as JSON writes it."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value
