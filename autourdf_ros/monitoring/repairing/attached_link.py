"""A part attached to a link, as one more link of a result folder with a fixed joint."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from lxml import etree

from autourdf_ros.files.urdf_origin import set_origin
from autourdf_ros.model.names import legal_names
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.result_files import MESHES, URDF
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.repairing.corrected_urdf import reference_frames
from autourdf_ros.shape.collision.collision_mesh import BUDGET, LEAST, collision_meshes
from autourdf_ros.shape.mass_properties import mass_properties
from autourdf_ros.shape.visual.mesh_files import write_collision, write_visual

NAME = "attached"


def attach_link(
    folder: Path, document: Mapping[str, Any], parent: str, mesh: trimesh.Trimesh
) -> dict[str, Any]:
    """Add the part to the folder's URDF and meshes, and return the extended document.

    Args:
        folder: Of the result; its URDF and meshes are changed.
        document: Of the result.
        parent: Link that holds the part.
        mesh: Closed, in the base frame at the reference (m).
    """
    frame = reference_frames(LiveModel(folder))[parent]
    tree = etree.parse(folder / URDF, etree.XMLParser(remove_blank_text=True))
    taken = [element.get("name") for element in tree.findall("link") + tree.findall("joint")]
    (link,) = legal_names([NAME], taken=taken).values()
    (joint,) = legal_names([f"{link}_mount"], taken=taken).values()
    local = mesh.copy().apply_transform(np.linalg.inv(frame))
    count = len(document["links"]) + 1
    root = tree.getroot()
    root.append(_link(folder, link, local, count, float(document["assumed"]["density"])))
    mount = etree.SubElement(root, "joint", name=joint, type="fixed")
    etree.SubElement(mount, "parent", link=parent)
    etree.SubElement(mount, "child", link=link)
    set_origin(mount, np.eye(4))
    tree.write(folder / URDF, pretty_print=True, xml_declaration=True, encoding="utf-8")
    return _with_link(document, link, joint, parent, mesh, frame[:3, 3].tolist())


def _link(
    folder: Path, name: str, mesh: trimesh.Trimesh, count: int, density: float
) -> etree._Element:
    link = etree.Element("link", name=name)
    mass = mass_properties(mesh, density)
    inertial, centre = etree.SubElement(link, "inertial"), np.eye(4)
    centre[:3, 3] = mass.centre
    set_origin(inertial, centre)
    etree.SubElement(inertial, "mass", value=f"{mass.mass:.9g}")
    moments = {
        f"i{row}{column}": f"{mass.inertia['xyz'.index(row), 'xyz'.index(column)]:.9g}"
        for row, column in ("xx", "xy", "xz", "yy", "yz", "zz")
    }
    etree.SubElement(inertial, "inertia", **moments)
    seen = np.zeros(len(mesh.faces), bool)
    visual = write_visual(folder / MESHES / "visual", name, mesh, link_color(count - 1), seen)
    share = max(LEAST, BUDGET // count)
    parts = collision_meshes(mesh, share, "hull")
    hulls = [write_collision(folder / MESHES / "collision", name, part) for part in parts]
    for kind, paths in (("visual", [visual]), ("collision", hulls)):
        for path in paths:
            shape = etree.SubElement(link, kind)
            set_origin(shape, np.eye(4))
            geometry = etree.SubElement(shape, "geometry")
            relative = path.relative_to(folder).as_posix()
            etree.SubElement(geometry, "mesh", filename=relative)
    return link


def _with_link(
    document: Mapping[str, Any],
    link: str,
    joint: str,
    parent: str,
    mesh: trimesh.Trimesh,
    point: list[float],
) -> dict[str, Any]:
    new = copy.deepcopy(dict(document))
    # The recording has no points of it, hence no costs and shares.
    new["links"].append(
        {
            "name": link,
            "points": len(mesh.vertices),
            "cost": None,
            "held_out_cost": None,
            "unseen_area_share": None,
        }
    )
    new["joints"].append(
        {
            "name": joint,
            "type": "fixed",
            "parent": parent,
            "child": link,
            "axis": [0.0, 0.0, 1.0],
            "point": point,
            "lower": None,
            "upper": None,
            "limits": "observed",
            "drive": None,
            "mimic": None,
            "reference": 0.0,
            "observed": [None, None],
        }
    )
    for sequence in new["sequences"]:
        for key, value in (("joint_values", 0.0), ("joint_stds", None)):
            sequence[key] = [[*row, value] for row in sequence[key]]
    return new
