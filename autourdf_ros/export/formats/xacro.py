"""The URDF as a xacro macro, with a prefix and the package that holds the meshes."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

XACRO = "http://www.ros.org/wiki/xacro"

_NAMES = (
    ("link", "name"),
    ("joint", "name"),
    ("parent", "link"),
    ("child", "link"),
    ("mimic", "joint"),
    ("material", "name"),
)


def packaged_urdf(urdf: Path, package: str) -> etree._Element:
    """Return the URDF with meshes by package:// instead of relative paths."""
    robot = etree.parse(urdf, etree.XMLParser(remove_blank_text=True)).getroot()
    for mesh in robot.iter("mesh"):
        mesh.set("filename", f"package://{package}/{mesh.get('filename')}")
    for element in robot.findall("mujoco"):
        robot.remove(element)  # it is about relative paths
    return robot


def xacro_macro(urdf: Path, name: str, package: str) -> etree._Element:
    """Return a xacro file that defines the macro `name`(prefix, mesh_package) from a URDF.

    prefix: put before every name of a link, joint or material, so that two may stand in one scene.
    mesh_package: holds the folder `meshes`; by default `package`.
    """
    source = packaged_urdf(urdf, "${mesh_package}")
    for tag, attribute in _NAMES:
        for element in source.iter(tag):
            element.set(attribute, "${prefix}" + element.get(attribute))
    file = etree.Element("robot", nsmap={"xacro": XACRO})
    macro = etree.SubElement(file, f"{{{XACRO}}}macro")
    macro.set("name", name)
    macro.set("params", f"prefix:='' mesh_package:='{package}'")
    macro.extend(source)
    return file


def xacro_file(robot: str, name: str, package: str) -> etree._Element:
    """Return a xacro file of one robot: arguments, and a call of the macro of its macro file."""
    file = etree.Element("robot", name=robot, nsmap={"xacro": XACRO})
    for argument, default in {"prefix": "", "mesh_package": package}.items():
        etree.SubElement(file, f"{{{XACRO}}}arg", name=argument, default=default)
    etree.SubElement(file, f"{{{XACRO}}}include", filename=f"{robot}.macro.xacro")
    call = etree.SubElement(file, f"{{{XACRO}}}{name}")
    for argument in ("prefix", "mesh_package"):
        call.set(argument, f"$(arg {argument})")
    return file


def write_xml(element: etree._Element, path: Path) -> None:
    """Write an XML file, indented."""
    etree.ElementTree(element).write(
        path, pretty_print=True, xml_declaration=True, encoding="utf-8"
    )
