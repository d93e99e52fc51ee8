"""payload.json, payload.yaml and payload.urdf: what drivers, people and simulators take."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.files.atomic_folder import check_writable
from autourdf_ros.model.inertial.held_payload import HeldPayload, tensor_entries
from autourdf_ros.model.inertial.inertial_parameters import PARAMETERS, is_consistent

Array = NDArray[np.float64]

FORMAT, VERSION = "autourdf_ros/payload", 1
DOCUMENT, PLAIN, DESCRIPTION = "payload.json", "payload.yaml", "payload.urdf"
MESHES = "meshes"
_UR_ORDER = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_CENTRAL = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")


@dataclass(frozen=True)
class PayloadNotes:
    """What a payload's files say beside its values.

    Attributes:
        method: That found it.
        warnings: Reasons for doubt.
        sections: Further entries of payload.json: bias, delay, condition number, parts.
    """

    method: str
    warnings: tuple[str, ...] = ()
    sections: Mapping[str, Any] = field(default_factory=dict)


def payload_document(payload: HeldPayload, notes: PayloadNotes) -> dict[str, Any]:
    """Return the content of payload.json.

    Raises:
        InputError: no body has these parameters.
    """
    if not is_consistent(payload.parameters):
        raise InputError(
            f"method {notes.method}: the parameters are no body's (its pseudo-inertia is not "
            "positive definite); accepted are those of field, hps or geo"
        )
    tensor = tensor_entries(payload.inertia)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "frame": payload.frame,
        "method": notes.method,
        "verdict": "doubtful" if notes.warnings else "trusted",
        "warnings": list(notes.warnings),
        "mass": payload.mass,
        "centre_of_mass": payload.centre.tolist(),
        "inertia": tensor,
        "std": payload_deviations(payload),
        "set_payload": {
            "mass": payload.mass,
            "center_of_gravity": payload.centre.tolist(),
            "inertia_matrix": [tensor[name] for name in _UR_ORDER],
        },
        "parameters": dict(zip(PARAMETERS, payload.parameters.tolist(), strict=True)),
        "covariance": None if payload.covariance is None else payload.covariance.tolist(),
    }
    return {**document, **notes.sections}


def payload_deviations(payload: HeldPayload) -> dict[str, Any] | None:
    """Standard deviations of mass (kg), centre (m) and inertia about it (kg m²)."""
    covariance = payload.central_covariance()
    if covariance is None:
        return None
    std = np.sqrt(np.maximum(np.diag(covariance), 0)).tolist()
    return {
        "mass": std[0],
        "centre_of_mass": std[1:4],
        "inertia": dict(zip(_CENTRAL, std[4:], strict=True)),
    }


def write_payload_files(document: Mapping[str, Any], folder: Path) -> None:
    """Write payload.json, payload.yaml (without covariance and parameters) and payload.urdf."""
    (folder / DOCUMENT).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    plain = {
        key: document[key]
        for key in (
            "frame",
            "method",
            "verdict",
            "warnings",
            "mass",
            "centre_of_mass",
            "inertia",
            "std",
            "joints",
            "links",
        )
        if key in document
    }
    plain["set_payload"] = document["set_payload"]
    text = yaml.safe_dump(plain, sort_keys=False)
    (folder / PLAIN).write_text(_UNITS + text, encoding="utf-8")
    (folder / DESCRIPTION).write_bytes(payload_urdf(document))


_UNITS = """# kg, m, kg m2; in the axes of `frame`, the inertia about the centre of mass.
# set_payload: as Universal Robots' service takes it; inertia_matrix is ixx iyy izz ixy ixz iyz.
"""


def payload_urdf(document: Mapping[str, Any]) -> bytes:
    """Return a URDF with one link, `payload`, whose frame is the sensor's."""
    robot = etree.Element("robot", name="payload")
    etree.SubElement(robot, "link", name="payload").append(inertial_element(document))
    text: bytes = etree.tostring(robot, pretty_print=True, xml_declaration=True, encoding="utf-8")
    return text


def inertial_element(entry: Mapping[str, Any]) -> etree._Element:
    """Return the `<inertial>` of an entry with mass, centre of mass and inertia about it."""
    inertial = etree.Element("inertial")
    centre = " ".join(f"{value:.9g}" for value in entry["centre_of_mass"])
    etree.SubElement(inertial, "origin", xyz=centre, rpy="0 0 0")
    etree.SubElement(inertial, "mass", value=f"{entry['mass']:.9g}")
    moments = {name: f"{value:.9g}" for name, value in entry["inertia"].items()}
    etree.SubElement(inertial, "inertia", **moments)
    return inertial


def check_payload_output(out: Path) -> Path:
    """Return the absolute path of a folder that can be written. Raise InputError otherwise."""
    out = out.expanduser().resolve()
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; give a new or empty folder, or an earlier payload")
    if out.is_dir() and any(out.iterdir()):
        there = {path.name for path in out.iterdir()}
        own = {DOCUMENT, PLAIN, DESCRIPTION, MESHES, "report.html", "figures"}
        if DOCUMENT not in there or there - own:
            raise InputError(
                f"{out}: holds {min(there - own or there)}, which is no payload of autourdf; give "
                "a new or empty folder, or an earlier payload"
            )
    check_writable(out)
    return out
