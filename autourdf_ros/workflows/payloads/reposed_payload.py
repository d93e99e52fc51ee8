"""A weighed payload with joints, after its joints moved: its links keep their masses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.export.payload.payload_files import DESCRIPTION, DOCUMENT, FORMAT
from autourdf_ros.model.inertial.held_payload import HeldPayload
from autourdf_ros.model.inertial.inertial_parameters import PARAMETERS
from autourdf_ros.model.inertial.jointed_description import jointed_description, summed_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReposedPayload:
    """A payload at joint values.

    Attributes:
        payload: The whole, in the frame of the sensor.
        joints: Values of the free joints (rad or m).
        weighed: Content of the payload.json that it comes from.
    """

    payload: HeldPayload
    joints: Mapping[str, float]
    weighed: Mapping[str, Any]


def reposed_payload(folder: Path, values: Mapping[str, float]) -> ReposedPayload:
    """Return the payload of a folder of `autourdf payload` at other joint values.

    Args:
        folder: With the payload of an object with joints.
        values: By joint (rad or m); joints that are not given stay as they were weighed.

    Raises:
        InputError: names the file, or the joint, its value and what is accepted.
    """
    document = _document(folder / DOCUMENT)
    given = {**document["joints"], **values}
    jointed = jointed_description(folder / DESCRIPTION, given, "joint")
    poses = dict(zip(jointed.links, jointed.poses, strict=True))
    if missing := document["links"].keys() - poses.keys():
        raise InputError(
            f"{folder / DESCRIPTION}: lacks link {min(missing)!r} of {DOCUMENT}; accepted is the "
            "folder as autourdf payload wrote it"
        )
    matrix = summed_matrix(np.array([poses[name] for name in document["links"]]))
    parameters, covariance = _stacked(document, folder / DOCUMENT)
    payload = HeldPayload(
        matrix @ parameters, matrix @ covariance @ matrix.T, str(document["frame"])
    )
    return ReposedPayload(payload, jointed.values, document)


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}; {_ACCEPTED}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path}: is no payload; {_ACCEPTED}")
    if not all(isinstance(document.get(key), dict) for key in ("joints", "links")):
        raise InputError(f"{path}: is the payload of an object without joints; {_ACCEPTED}")
    return document


_ACCEPTED = "accepted is a folder that autourdf payload wrote for a URDF with joints"


def _stacked(document: Mapping[str, Any], path: Path) -> tuple[Array, Array]:
    """Return the links' parameters (10 k,) and covariance (10 k, 10 k), each in its own frame."""
    try:
        rows = [
            [float(link["parameters"][name]) for name in PARAMETERS]
            for link in document["links"].values()
        ]
        covariance = np.array(document["link_covariance"], float)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: links are damaged ({error!r}); {_ACCEPTED}") from error
    parameters = np.array(rows).ravel()
    whole = np.isfinite(parameters).all() and np.isfinite(covariance).all()
    if not whole or covariance.shape != (len(parameters), len(parameters)):
        raise InputError(f"{path}: link_covariance does not fit the links; {_ACCEPTED}")
    return parameters, covariance
