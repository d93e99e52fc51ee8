"""A URDF with joints replaced: other type, axis, place and limits; all links stay where they are.

At zero of all joints every link keeps its pose. The frame of a replaced joint's child moves onto
the new axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.files.urdf_origin import numbers_text, origin_of, set_origin
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.limits.drive_limits import DriveLimits
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.tree_joint import JointType

Array = NDArray[np.float64]

_PLACED = ("inertial", "visual", "collision")


@dataclass(frozen=True)
class ReplacedJoint:
    """What a joint is from now on.

    Attributes:
        name: Of the joint in the URDF.
        type: Of the joint.
        axis: (3,) unit vector in the base frame, all joints at zero.
        point: (3,) on the axis (m), likewise.
        lower: Least value (rad or m); without meaning for continuous and fixed joints.
        upper: Greatest value.
        drive: How it may be driven; None for a fixed joint.
    """

    name: str
    type: JointType
    axis: Array
    point: Array
    lower: float
    upper: float
    drive: DriveLimits | None


def replace_joints(folder: Path, replaced: Sequence[ReplacedJoint]) -> None:
    """Rewrite `folder`/robot.urdf with these joints replaced."""
    tree = etree.parse(folder / URDF, etree.XMLParser(remove_blank_text=True))
    for joint in replaced:
        _replace(tree.getroot(), joint)
    tree.write(folder / URDF, pretty_print=True, xml_declaration=True, encoding="utf-8")


def frames_at_zero(urdf: Path) -> dict[str, Array]:
    """Return the pose (4, 4) of every link in the base frame, all joints at zero.

    Raises:
        InputError: The file is no XML.
    """
    return _frames(read_xml(urdf))


def _replace(robot: etree._Element, new: ReplacedJoint) -> None:
    joint = robot.find(f"joint[@name='{new.name}']")
    parent, child = (joint.find(tag).get("link") for tag in ("parent", "child"))
    frames = _frames(robot)
    placed = frames[child].copy()
    placed[:3, 3] = new.point
    set_origin(joint, np.linalg.inv(frames[parent]) @ placed)
    shift = np.linalg.inv(placed) @ frames[child]
    link = robot.find(f"link[@name='{child}']")
    for element in [one for tag in _PLACED for one in link.findall(tag)]:
        set_origin(element, shift @ origin_of(element))
    for element in robot.findall(f"joint/parent[@link='{child}']/.."):
        set_origin(element, shift @ origin_of(element))
    joint.set("type", new.type)
    _set_motion(joint, new, placed[:3, :3].T @ new.axis)


def _set_motion(joint: etree._Element, new: ReplacedJoint, axis: Array) -> None:
    """Write axis and limits; a fixed joint has none."""
    for tag in ("axis", "limit", "mimic"):
        for element in joint.findall(tag):
            joint.remove(element)
    if new.type == "fixed" or new.drive is None:
        return
    etree.SubElement(joint, "axis", xyz=numbers_text(axis))
    drive = {"effort": f"{new.drive.effort:.9g}", "velocity": f"{new.drive.velocity:.9g}"}
    if new.type != "continuous":
        drive |= {"lower": f"{new.lower:.6f}", "upper": f"{new.upper:.6f}"}
    etree.SubElement(joint, "limit", drive)


def _frames(robot: etree._Element) -> dict[str, Array]:
    joints = [one for one in robot.findall("joint") if one.find("child") is not None]
    children = {one.find("child").get("link") for one in joints}
    links = [one.get("name") for one in robot.findall("link")]
    frames = {name: np.eye(4) for name in links if name not in children}
    while ready := [
        one
        for one in joints
        if one.find("parent").get("link") in frames and one.find("child").get("link") not in frames
    ]:
        for one in ready:
            pose = frames[one.find("parent").get("link")] @ origin_of(one)
            frames[one.find("child").get("link")] = pose
    return frames
