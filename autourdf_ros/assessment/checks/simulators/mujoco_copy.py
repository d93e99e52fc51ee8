"""Copy a robot such that MuJoCo can read it, whatever its meshes and their paths are."""

from __future__ import annotations

import trimesh
from lxml import etree

from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.files.xml_reading import parse_xml

_HELD = ("floating", "planar")


def mujoco_copy(subject: Subject, *, visuals: bool) -> tuple[str, dict[str, bytes]]:
    """Return a URDF's text and its meshes for MuJoCo.

    The copy has no meshes that cannot be read, no visual shapes without `visuals`, and no <mujoco>
    element of the original. Floating and planar joints are fixed.

    Args:
        subject: The robot.
        visuals: Whether to keep the visual shapes.

    Returns:
        The text, and the meshes in binary STL by the file names of the text.
    """
    root = parse_xml(subject.robot.text, subject.robot.path)
    for element in [*root.findall("mujoco"), *root.findall("transmission")]:
        root.remove(element)
    for joint in root.findall("joint"):
        if joint.get("type") in _HELD:
            joint.set("type", "fixed")
    meshes: dict[str, bytes] = {}
    for link in root.findall("link"):
        for item in [*link.findall("visual"), *link.findall("collision")]:
            mesh = item.find("geometry/mesh")
            if item.tag == "visual" and not visuals:
                link.remove(item)
            elif mesh is not None:
                _replace(mesh, item, link, subject, meshes)
    root.append(_compiler())
    return etree.tostring(root, encoding="unicode"), meshes


def _replace(
    mesh: etree._Element,
    item: etree._Element,
    link: etree._Element,
    subject: Subject,
    meshes: dict[str, bytes],
) -> None:
    written = mesh.get("filename", "")
    file = subject.meshes.get(written)
    if file is None or file.mesh is None:
        link.remove(item)
        return
    # Names by number: MuJoCo distinguishes meshes by the last part of their names only.
    name = f"{list(subject.meshes).index(written)}.stl"
    if name not in meshes:
        meshes[name] = trimesh.exchange.stl.export_stl(file.mesh)
    mesh.set("filename", name)


def _compiler() -> etree._Element:
    extension = etree.Element("mujoco")
    etree.SubElement(extension, "compiler", discardvisual="false", fusestatic="false")
    return extension
