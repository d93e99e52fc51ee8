"""A payload as the action's result, and as a message for those who come later."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from autourdf_msgs.action import Identify
from geometry_msgs.msg import InertiaStamped, Vector3

from autourdf_ros.export.payload.payload_files import DOCUMENT

_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
"""The order of set_payload."""


def payload_result(out: Path) -> Identify.Result:
    """Return the result of the payload that a folder holds."""
    document = json.loads((out / DOCUMENT).read_text())
    fields, std = document["set_payload"], document["std"] or _UNSTATED
    return Identify.Result(
        success=True,
        message=_sentence(document),
        verdict=document["verdict"],
        warnings=document["warnings"],
        frame=document["frame"],
        mass=fields["mass"],
        center_of_gravity=_vector(fields["center_of_gravity"]),
        inertia_matrix=fields["inertia_matrix"],
        mass_std=std["mass"],
        center_of_gravity_std=_vector(std["centre_of_mass"]),
        inertia_matrix_std=[std["inertia"][name] for name in _TENSOR],
        folder=str(out),
    )


def no_payload(success: bool = False, message: str = "") -> Identify.Result:
    """Return the result of a goal that found no payload: its numbers are NaN, and no one's mass."""
    nowhere = _vector([math.nan] * 3)
    return Identify.Result(
        success=success,
        message=message,
        mass=math.nan,
        center_of_gravity=nowhere,
        inertia_matrix=[math.nan] * len(_TENSOR),
        mass_std=math.nan,
        center_of_gravity_std=nowhere,
        inertia_matrix_std=[math.nan] * len(_TENSOR),
    )


def inertia_message(result: Identify.Result, stamp: Any) -> InertiaStamped:
    """Return the payload, its tensor about the centre of mass; stamp as builtin_interfaces has."""
    message = InertiaStamped()
    message.header.frame_id, message.header.stamp = result.frame, stamp
    message.inertia.m, message.inertia.com = result.mass, result.center_of_gravity
    for name, value in zip(_TENSOR, result.inertia_matrix, strict=True):
        setattr(message.inertia, name, float(value))
    return message


def _sentence(document: dict[str, Any]) -> str:
    centre = ", ".join(f"{1e3 * value:.1f}" for value in document["centre_of_mass"])
    text = (
        f"{document['verdict']}: {1e3 * document['mass']:.1f} g, centre of mass at {centre} mm in "
        f"{document['frame']}"
    )
    records = document.get("records", {})
    if records.get("left_out"):
        text += f"; gaps hide the motion of {records['left_out']} of {records['all']} records"
    return "; ".join([text, *document["warnings"]])


def _vector(values: list[float]) -> Vector3:
    return Vector3(x=values[0], y=values[1], z=values[2])


_UNSTATED: dict[str, Any] = {
    "mass": math.nan,
    "centre_of_mass": [math.nan] * 3,
    "inertia": dict.fromkeys(_TENSOR, math.nan),
}
