"""URDF and SRDF as xacro macros, with a prefix and the package that holds the meshes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lxml import etree

from autourdf_ros.export.formats.end_frames import EndFrame
from autourdf_ros.export.formats.urdf import BASE_LINK

XACRO = "http://www.ros.org/wiki/xacro"

_NAMES = (
    ("link", "name"),
    ("joint", "name"),
    ("parent", "link"),
    ("child", "link"),
    ("mimic", "joint"),
    ("material", "name"),
)


_PLACE = "xyz:='0 0 0' rpy:='0 0 0'"
_SEMANTIC_NAMES = (
    ("group", "name"),
    ("chain", "base_link"),
    ("chain", "tip_link"),
    ("link", "name"),
    ("joint", "name"),
    ("group_state", "group"),
    ("end_effector", "name"),
    ("end_effector", "group"),
    ("end_effector", "parent_link"),
    ("end_effector", "parent_group"),
    ("virtual_joint", "name"),
    ("virtual_joint", "child_link"),
    ("passive_joint", "name"),
    ("disable_collisions", "link1"),
    ("disable_collisions", "link2"),
)


def packaged_urdf(urdf: Path, package: str, frames: Sequence[EndFrame] = ()) -> etree._Element:
    """Return the URDF with meshes by package:// instead of relative paths, and frames of tools."""
    robot = etree.parse(urdf, etree.XMLParser(remove_blank_text=True)).getroot()
    for mesh in robot.iter("mesh"):
        mesh.set("filename", f"package://{package}/{mesh.get('filename')}")
    for element in robot.findall("mujoco"):
        robot.remove(element)  # it is about relative paths
    for frame in frames:
        robot.extend(frame.elements())
    return robot


def xacro_macro(
    urdf: Path, name: str, package: str, frames: Sequence[EndFrame] = ()
) -> etree._Element:
    """Return a xacro file that defines a macro from a URDF.

    Its parameters are prefix: put before every name of a link, joint or material, so that two may
    stand in one scene; mesh_package: holds the folder `meshes`, by default `package`; parent: link
    that the robot stands on, with its place there, xyz (m) and rpy (rad); empty: none.
    """
    source = packaged_urdf(urdf, "${mesh_package}", frames)
    _prefix(source, _NAMES)
    file, macro = _macro(name, f"prefix:='' mesh_package:='{package}' parent:='' {_PLACE}")
    stands = etree.SubElement(macro, f"{{{XACRO}}}if", value="${parent != ''}")
    joint = etree.SubElement(stands, "joint", name=f"${{prefix}}{BASE_LINK}_mount", type="fixed")
    etree.SubElement(joint, "parent", link="${parent}")
    etree.SubElement(joint, "child", link=f"${{prefix}}{BASE_LINK}")
    etree.SubElement(joint, "origin", xyz="${xyz}", rpy="${rpy}")
    macro.extend(source)
    return file


def srdf_macro(srdf: etree._Element, name: str, parent_frame: str) -> etree._Element:
    """Return a xacro file that defines the macro `name`(prefix, parent_frame) from an SRDF.

    The prefix is put before every name of a link, joint or group. parent_frame: that of the virtual
    joint.
    """
    _prefix(srdf, _SEMANTIC_NAMES)
    for joint in srdf.iter("virtual_joint"):
        joint.set("parent_frame", "${parent_frame}")
    file, macro = _macro(name, f"prefix:='' parent_frame:='{parent_frame}'")
    macro.extend(srdf)
    return file


def _macro(name: str, parameters: str) -> tuple[etree._Element, etree._Element]:
    file = etree.Element("robot", nsmap={"xacro": XACRO})
    macro = etree.SubElement(file, f"{{{XACRO}}}macro", name=name, params=parameters)
    return file, macro


def _prefix(source: etree._Element, names: Iterable[tuple[str, str]]) -> None:
    for tag, attribute in names:
        for element in source.iter(tag):
            if element.get(attribute) is not None:
                element.set(attribute, "${prefix}" + element.get(attribute))


def xacro_file(
    robot: str, macro: str, included: str, arguments: Mapping[str, str]
) -> etree._Element:
    """Return a xacro file of one robot: arguments, and a call of the macro of an included file.

    Args:
        robot: Its name.
        macro: Its name.
        included: File that defines the macro.
        arguments: By name, with their defaults.
    """
    file = etree.Element("robot", name=robot, nsmap={"xacro": XACRO})
    for argument, default in arguments.items():
        etree.SubElement(file, f"{{{XACRO}}}arg", name=argument, default=default)
    etree.SubElement(file, f"{{{XACRO}}}include", filename=included)
    call = etree.SubElement(file, f"{{{XACRO}}}{macro}")
    for argument in arguments:
        call.set(argument, f"$(arg {argument})")
    return file


def write_xml(element: etree._Element, path: Path) -> None:
    """Write an XML file, indented."""
    etree.ElementTree(element).write(
        path, pretty_print=True, xml_declaration=True, encoding="utf-8"
    )
