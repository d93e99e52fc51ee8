"""What the files of a payload with joints say of its links, and its description."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from scipy.linalg import block_diag

from autourdf_ros.errors import InputError
from autourdf_ros.export.payload.payload_files import (
    DESCRIPTION,
    MESHES,
    inertial_element,
    payload_deviations,
)
from autourdf_ros.files.urdf_origin import roll_pitch_yaw
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.inertial.held_payload import HeldPayload, tensor_entries
from autourdf_ros.model.inertial.inertial_parameters import PARAMETERS, is_consistent, moving_matrix
from autourdf_ros.model.inertial.jointed_description import JointedDescription
from autourdf_ros.model.urdf.mesh_location import MeshError, locate

Array = NDArray[np.float64]


def jointed_sections(
    jointed: JointedDescription, parameters: Array, covariance: Array, pose: Array
) -> dict[str, Any]:
    """Return the entries of payload.json on joints and links, each in its own frame.

    Args:
        jointed: The object as it was weighed.
        parameters: (k, 10) of its links, in the sensor's frame.
        covariance: (10 k, 10 k) of them.
        pose: (4, 4) of the root link's frame in the sensor's frame.

    Raises:
        InputError: the wrenches leave a link no mass.
    """
    turns = [moving_matrix(np.linalg.inv(pose @ one)) for one in jointed.poses]
    whole = block_diag(*turns)
    spread = whole @ covariance @ whole.T
    links = {}
    for number, (name, turn) in enumerate(zip(jointed.links, turns, strict=True)):
        own = slice(10 * number, 10 * number + 10)
        payload = HeldPayload(turn @ parameters[number], spread[own, own], name)
        links[name] = _link(payload, jointed.path)
    return {"joints": dict(jointed.values), "links": links, "link_covariance": spread.tolist()}


def _link(own: HeldPayload, path: Path) -> dict[str, Any]:
    if not is_consistent(own.parameters):
        raise InputError(
            f"{path}: the wrenches leave link {own.frame!r} no mass ({own.mass:.3g} kg); accepted "
            "are the joint values at which it was weighed, and links of which each weighs something"
        )
    return {
        "mass": own.mass,
        "centre_of_mass": own.centre.tolist(),
        "inertia": tensor_entries(own.inertia),
        "std": payload_deviations(own),
        "parameters": dict(zip(PARAMETERS, own.parameters.tolist(), strict=True)),
    }


def write_jointed_urdf(
    jointed: JointedDescription, document: Mapping[str, Any], pose: Array, folder: Path
) -> None:
    """Write the description with the links' `<inertial>`, below a link for the sensor's frame.

    Mesh files come along.

    Args:
        jointed: The object as it was weighed.
        document: Content of payload.json.
        pose: (4, 4) of the root link's frame in the sensor's frame.
        folder: To write.

    Raises:
        InputError: the description has a link or joint of the same name as those added.
    """
    root = read_xml(jointed.path)
    for link in root.findall("link"):
        for old in link.findall("inertial"):
            link.remove(old)
        link.insert(0, inertial_element(document["links"][link.get("name")]))
    _copy_meshes(root, jointed.path, folder)
    _hang_on_sensor(root, jointed, document["frame"], pose)
    etree.indent(root)
    text = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="utf-8")
    (folder / DESCRIPTION).write_bytes(text)


def _hang_on_sensor(
    root: etree._Element, jointed: JointedDescription, frame: str, pose: Array
) -> None:
    """Add a link for the sensor's frame, to which the root link is fixed at a pose (4, 4)."""
    top = jointed.links[0]
    joint = f"{frame}_to_{top}"
    check_frame(jointed, frame)
    root.insert(0, etree.Element("link", name=frame))
    fixed = etree.Element("joint", name=joint, type="fixed")
    place = " ".join(f"{value:.9g}" for value in pose[:3, 3])
    angles = " ".join(f"{a:.9g}" for a in roll_pitch_yaw(pose))
    etree.SubElement(fixed, "origin", xyz=place, rpy=angles)
    etree.SubElement(fixed, "parent", link=frame)
    etree.SubElement(fixed, "child", link=top)
    root.insert(1, fixed)


def check_frame(jointed: JointedDescription, frame: str) -> None:
    """Raise InputError where the sensor's frame has the name of a link."""
    if frame in jointed.links:
        raise InputError(
            f"--frame {frame}: {jointed.path} has a link of this name; accepted is another name "
            "for the sensor's frame"
        )


def _copy_meshes(root: etree._Element, path: Path, folder: Path) -> None:
    """Copy the mesh files that are found, each under a name of its own, and name the copies."""
    names: dict[Path, str] = {}
    for mesh in root.iter("mesh"):
        try:
            source = locate(mesh.get("filename", ""), path).resolve()
        except MeshError:  # of a shape that was not used
            continue
        if source not in names:
            names[source] = f"{MESHES}/{len(names)}_{source.name}"
            (folder / MESHES).mkdir(exist_ok=True)
            shutil.copyfile(source, folder / names[source])
        mesh.set("filename", names[source])
