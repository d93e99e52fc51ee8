"""A robot and the things around it, in one description with one MoveIt configuration.

The joints of things have no motor: planners know them as passive, and simulators do not drive them.
A thing stands in the scene, or a link of the robot holds it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.export.formats.planning_groups import PlanningGroup
from autourdf_ros.export.formats.semantics import MovingJoint, Semantics
from autourdf_ros.export.formats.urdf import BASE_LINK
from autourdf_ros.export.result_folder import write_formats
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.files.xml_reading import read_xml
from autourdf_ros.model.limits.drive_limits import SLIDING, TURNING, DriveLimits
from autourdf_ros.model.result_files import MESHES, URDF
from autourdf_ros.model.urdf.described_robot import DescribedJoint
from autourdf_ros.model.urdf.mesh_location import MeshError, locate
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, silent

ARM, HAND = "arm", "hand"
"""Planning groups of the robot; each thing that moves has one of its own name."""
ACCELERATION = 1.0
"""rad/s² or m/s², where a URDF has none: deliberately slow."""


@dataclass(frozen=True)
class Thing:
    """What a scene holds besides the robot.

    Attributes:
        urdf: Its description.
        placement: (4, 4) pose of its base in that of the robot, or in the link that holds it.
        name: Of its planning group; with `_` it precedes the names of its links and joints.
        carrier: Link of the robot that holds it; none where it stands in the scene.
    """

    urdf: Path
    placement: NDArray[np.float64]
    name: str = "object"
    carrier: str = ""

    @property
    def prefix(self) -> str:
        """What precedes the names of its links and joints."""
        return f"{self.name}_"


@dataclass(frozen=True)
class Scene:
    """What a scene is made of.

    Attributes:
        robot: URDF of the robot.
        things: What stands around it, or what it holds.
        hand: Joints of the robot's gripper, which are a group of their own.
        home: Joint values at which the scene starts (rad or m), by name in it; others are 0.
    """

    robot: Path
    things: tuple[Thing, ...]
    hand: tuple[str, ...]
    home: dict[str, float]


def write_scene(scene: Scene, folder: Path, progress: Progress = silent) -> Path:
    """Write URDF, SRDF, MJCF, ROS description and MoveIt configuration; return the URDF's path.

    The folder is replaced whole or not at all.

    Raises:
        InputError: A URDF cannot be read, or names a mesh that is not there; the robot has no link
            of a carrier's name; or two things have one name.
    """
    _check_names(scene)
    with replacing(folder) as new:
        whole = etree.Element("robot", name="scene")
        etree.SubElement(whole, "link", name=BASE_LINK)
        _mount(whole, _renamed(scene.robot, new, ""), np.eye(4), BASE_LINK)
        for thing in scene.things:
            carrier = thing.carrier or BASE_LINK
            _mount(whole, _renamed(thing.urdf, new, thing.prefix), thing.placement, carrier)
        mujoco = etree.SubElement(whole, "mujoco")
        etree.SubElement(mujoco, "compiler", strippath="false", discardvisual="false")
        tree = etree.ElementTree(whole)
        tree.write(new / URDF, pretty_print=True, xml_declaration=True, encoding="utf-8")
        write_formats(_meaning(scene, new / URDF), [], new, False, progress)
    return folder / URDF


def _check_names(scene: Scene) -> None:
    names = [thing.name for thing in scene.things]
    if len(set(names)) < len(names):
        raise InputError(f"things: are named {', '.join(names)}; accepted is each name once")
    links = {link.name for link in read_description(scene.robot).links}
    for thing in scene.things:
        if thing.carrier and thing.carrier not in links:
            raise InputError(
                f"{thing.name}: carrier is {thing.carrier}; accepted is a link of {scene.robot}: "
                f"{', '.join(sorted(links))}"
            )


def _renamed(urdf: Path, folder: Path, prefix: str) -> etree._Element:
    """The description with a prefix before its names, and its meshes copied to the folder.

    A collision mesh stands for a visual one that not all simulators read.
    """
    robot = read_xml(urdf)
    for extra in robot.xpath(
        "transmission|gazebo|mujoco|safety_controller|joint/safety_controller"
    ):
        extra.getparent().remove(extra)
    for element in robot.xpath("link|joint"):
        element.set("name", prefix + element.get("name"))
    for element in robot.xpath("joint/parent|joint/child"):
        element.set("link", prefix + element.get("link"))
    for element in robot.xpath("joint/mimic"):
        element.set("joint", prefix + element.get("joint"))
    for link in robot.findall("link"):
        _readable(link)
    target = folder / MESHES / (prefix.rstrip("_") or "robot")
    target.mkdir(parents=True, exist_ok=True)
    for mesh in robot.iter("mesh"):
        try:
            source = locate(mesh.get("filename"), urdf)
        except MeshError as error:
            raise InputError(f"{urdf}: {error}") from error
        shutil.copyfile(source, target / source.name)
        mesh.set("filename", (target / source.name).relative_to(folder).as_posix())
    return robot


def _readable(link: etree._Element) -> None:
    """Let the collision shapes stand for visual ones that MuJoCo does not read."""
    named = [mesh.get("filename", "") for mesh in link.iterfind("visual/geometry/mesh")]
    if not any(name.lower().endswith(".dae") for name in named):
        return
    for visual in link.findall("visual"):
        link.remove(visual)
    for shape in link.findall("collision"):
        copied = etree.fromstring(etree.tostring(shape))
        copied.tag = "visual"
        link.insert(0, copied)


def _mount(
    whole: etree._Element, robot: etree._Element, pose: NDArray[np.float64], carrier: str
) -> None:
    """Add a description, its root fixed to a link of the scene."""
    children = {child.get("link") for child in robot.iterfind("joint/child")}
    root = next(one.get("name") for one in robot.findall("link") if one.get("name") not in children)
    joint = etree.SubElement(whole, "joint", name=f"{root}_mount", type="fixed")
    turn = pin.rpy.matrixToRpy(pose[:3, :3])
    numbers = [" ".join(f"{value:.9g}" for value in part) for part in (pose[:3, 3], turn)]
    etree.SubElement(joint, "origin", xyz=numbers[0], rpy=numbers[1])
    etree.SubElement(joint, "parent", link=carrier)
    etree.SubElement(joint, "child", link=root)
    for element in robot:
        if element.tag in ("link", "joint", "material"):
            whole.append(element)


def _meaning(scene: Scene, urdf: Path) -> Semantics:
    """Groups of the scene: arm, hand and things; the joints of things have no motor."""
    joints = read_description(urdf).moving_joints
    of_things = {
        thing.name: [one for one in joints if one.name.startswith(thing.prefix)]
        for thing in scene.things
    }
    passive = {one.name for members in of_things.values() for one in members}
    own = [one for one in joints if one.name not in passive]
    groups = {
        ARM: [one for one in own if one.name not in scene.hand],
        HAND: [one for one in own if one.name in scene.hand],
        **of_things,
    }
    return Semantics(
        "scene",
        tuple(_group(name, members) for name, members in groups.items() if members),
        tuple(_moving(one, scene.home.get(one.name, 0.0), one.name in passive) for one in joints),
    )


def _group(name: str, joints: list[DescribedJoint]) -> PlanningGroup:
    return PlanningGroup(
        name,
        joints[0].parent,
        tuple(one.child for one in joints),
        tuple(one.name for one in joints),
        is_chain=name == ARM,
        parent=ARM if name == HAND else None,
    )


def _moving(joint: DescribedJoint, home: float, passive: bool) -> MovingJoint:
    assumed = SLIDING if joint.type == "prismatic" else TURNING
    drive = assumed
    if joint.limit is not None and joint.limit.effort > 0 and joint.limit.velocity > 0:
        drive = DriveLimits(joint.limit.velocity, joint.limit.effort, ACCELERATION)
    if passive:
        return MovingJoint(joint.name, home, drive, "passive")
    return MovingJoint(joint.name, home, drive, "driven" if joint.mimic is None else "following")
