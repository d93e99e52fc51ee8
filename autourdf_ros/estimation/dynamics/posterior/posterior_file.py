"""The posterior of a mechanism's dynamics as a file beside its result, to forecast from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import (
    KINDS,
    DynamicParameter,
    ParameterTable,
)
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import (
    DynamicsPosterior,
    MotionState,
)
from autourdf_ros.model.document.entries import Entries
from autourdf_ros.model.layers.layer import plain_values

FORMAT = "autourdf_ros/dynamics_posterior"
VERSION = 1
_MOST_BYTES = 64 * 2**20
_PARAMETER = ("kind", "target", "unit", "value", "std", "component")
_STATE = ("stamp", "positions", "velocities", "covariance", "cross")


def posterior_text(posterior: DynamicsPosterior) -> str:
    """Return the posterior as JSON text."""
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "mechanism": posterior.mechanism.xml,
            "scale_std": posterior.table.scale_std,
            "parameters": [
                {key: getattr(one, key) for key in _PARAMETER} for one in posterior.table.parameters
            ],
            "mean": plain_values(posterior.mean),
            "covariance": plain_values(posterior.covariance),
            "starts": [_state_values(one) for one in posterior.starts],
            "ends": [_state_values(one) for one in posterior.ends],
            "noise": plain_values(posterior.noise),
            "warnings": list(posterior.warnings),
        },
        allow_nan=False,
    )


def _state_values(state: MotionState) -> dict[str, Any]:
    return {key: plain_values(getattr(state, key)) for key in _STATE}


def read_posterior(path: Path) -> DynamicsPosterior:
    """Read a posterior.

    Raises:
        InputError: the file is missing or damaged, of another version, or names other files;
            names file and key.
    """
    entries = Entries(_content(path), str(path))
    if entries.content.get("format") != FORMAT or entries.content.get("version") != VERSION:
        raise InputError(f"{path}: is no {FORMAT} of version {VERSION}; accepted is that")
    xml = entries.text("mechanism")
    if "file=" in xml.replace(" ", "") or "<include" in xml:
        raise InputError(f"{path}.mechanism: names other files; accepted is an MJCF without")
    parameters = tuple(_parameter(one) for one in entries.each("parameters"))
    mechanism = Mechanism(xml, ParameterTable(parameters, entries.number("scale_std")))
    joints, count = len(mechanism.joints), len(parameters)
    starts, ends = (
        tuple(_state(one, joints, count) for one in entries.each(key)) for key in ("starts", "ends")
    )
    if not ends or len(starts) != len(ends):
        raise InputError(f"{path}.ends: has {len(ends)} states; accepted is one for every start")
    return DynamicsPosterior(
        mechanism,
        _finite(entries, "mean", (count,)),
        _finite(entries, "covariance", (count, count)),
        starts,
        ends,
        entries.array("noise", (joints,)),
        entries.texts("warnings"),
    )


def _content(path: Path) -> Any:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: is larger than {_MOST_BYTES} bytes; accepted is a smaller")
        return json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON: {error}") from error


def _parameter(entry: Entries) -> DynamicParameter:
    kinds: dict[str, Any] = {kind: kind for kind in KINDS}
    component = entry.number("component", 0.0)
    if component not in (0.0, 1.0, 2.0):
        raise InputError(f"{entry.where}.component: is {component}; accepted is 0, 1 or 2")
    return DynamicParameter(
        kinds[entry.text("kind", KINDS)],
        entry.text("target"),
        entry.text("unit"),
        entry.number("value"),
        entry.number("std"),
        int(component),
    )


def _state(entry: Entries, joints: int, count: int) -> MotionState:
    return MotionState(
        entry.number("stamp"),
        _finite(entry, "positions", (joints,)),
        _finite(entry, "velocities", (joints,)),
        _finite(entry, "covariance", (2 * joints, 2 * joints)),
        _finite(entry, "cross", (2 * joints, count)),
    )


def _finite(entry: Entries, key: str, shape: tuple[int, ...]) -> np.ndarray:
    found = entry.array(key, shape)
    if not np.isfinite(found).all():
        raise InputError(f"{entry.where}.{key}: has numbers that are not finite; accepted are such")
    return found
