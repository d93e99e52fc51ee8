"""SRDF: what MoveIt knows of a robot beyond its URDF.

The elements are those that srdfdom reads (model.cpp).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lxml import etree

from autourdf_ros.export.formats.planning_groups import PlanningGroup
from autourdf_ros.export.formats.semantics import Semantics
from autourdf_ros.export.formats.urdf import BASE_LINK, FLOATING_BASE
from autourdf_ros.shape.collision.collision_pairs import DisabledPair

HOME = "home"
"""The group state in which the robot stood in the reference frame."""

WORLD = "world"
"""The frame in which a base that floats moves; TF has to hold the pose of the base in it."""

_OF_LIMITS = (
    " Never: in no configuration drawn within the limits of the URDF. "
    "Who widens these has to find the pairs anew. "
)


def write_srdf(semantics: Semantics, pairs: Iterable[DisabledPair], path: Path) -> Path:
    """Write the SRDF of a robot with the pairs of links that need no collision check.

    A base that floats hangs on the frame `WORLD` by a virtual joint.
    """
    robot = etree.Element("robot", name=semantics.robot)
    joints = {group.name: set(group.joints) for group in semantics.groups}
    for group in semantics.groups:
        inside = set[str]().union(*(joints[name] for name in group.subgroups))
        robot.append(_group(group, inside))
    for group in semantics.groups:
        if driven := semantics.of(group):
            state = etree.SubElement(robot, "group_state", name=HOME, group=group.name)
            for joint in driven:
                etree.SubElement(state, "joint", name=joint.name, value=f"{joint.home:.6g}")
    for group in semantics.groups:
        if group.parent is not None:
            etree.SubElement(
                robot,
                "end_effector",
                name=group.name,
                group=group.name,
                parent_link=group.base,
                parent_group=group.parent,
            )
    if semantics.floating:
        etree.SubElement(
            robot,
            "virtual_joint",
            name=FLOATING_BASE,
            type="floating",
            parent_frame=WORLD,
            child_link=BASE_LINK,
        )
    for joint in semantics.joints:
        if joint.role == "passive":
            etree.SubElement(robot, "passive_joint", name=joint.name)
    robot.append(etree.Comment(_OF_LIMITS))
    for pair in pairs:
        etree.SubElement(
            robot, "disable_collisions", link1=pair.link1, link2=pair.link2, reason=pair.reason
        )
    etree.ElementTree(robot).write(path, pretty_print=True, xml_declaration=True, encoding="utf-8")
    return path


def _group(group: PlanningGroup, inside: set[str]) -> etree._Element:
    """The element of a group; `inside` are the joints of its subgroups."""
    element = etree.Element("group", name=group.name)
    if group.is_chain:
        etree.SubElement(element, "chain", base_link=group.base, tip_link=group.links[-1])
    elif group.subgroups:
        for subgroup in group.subgroups:
            etree.SubElement(element, "group", name=subgroup)
        for joint in group.joints:
            if joint not in inside:
                etree.SubElement(element, "joint", name=joint)
    else:
        # A link brings the joint above it: also one that follows, so that it stays in step.
        for link in group.links:
            etree.SubElement(element, "link", name=link)
    return element
