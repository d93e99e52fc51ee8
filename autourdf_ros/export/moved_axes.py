"""A URDF whose joints have their axes elsewhere; at the reference all links keep their poses.

The frames of links follow the rule of `link_frames`: the origin lies on the joint's axis, and with
all joints at zero all frames are parallel to the base frame.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lxml import etree

from autourdf_ros.export.joint_replacement import frames_at_zero
from autourdf_ros.files.urdf_origin import numbers_text, origin_of, set_origin
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree

_PLACED = ("inertial", "visual", "collision")


def move_axes(urdf: Path, before: KinematicTree, after: KinematicTree) -> None:
    """Rewrite a URDF with the axes and points of the joints of another tree.

    Args:
        urdf: The file.
        before: The tree that it states.
        after: The same links and joints, with other axes and points.

    Raises:
        InputError: The file is no XML.
    """
    zero = np.zeros(len(before.joints))
    frames = frames_at_zero(urdf)
    to_zero = dict(zip(before.links, before.motions(zero), strict=True))
    at_reference = dict(zip(after.links, link_frames(after), strict=True))
    moved_to_zero = dict(zip(after.links, after.motions(zero), strict=True))
    shifts = {
        name: np.linalg.inv(at_reference[name]) @ np.linalg.inv(to_zero[name]) @ frames[name]
        for name in after.links
    }
    tree = etree.parse(urdf, etree.XMLParser(remove_blank_text=True))
    for link in tree.findall("link"):
        if link.get("name") in shifts:
            for element in [one for tag in _PLACED for one in link.findall(tag)]:
                set_origin(element, shifts[link.get("name")] @ origin_of(element))
    joints = {joint.name: joint for joint in after.joints}
    for element in tree.findall("joint"):
        parent = element.find("parent").get("link")
        joint = joints.get(element.get("name"))
        if joint is None:
            if parent in shifts:
                set_origin(element, shifts[parent] @ origin_of(element))
            continue
        ends = [moved_to_zero[name] @ at_reference[name] for name in (joint.parent, joint.child)]
        set_origin(element, np.linalg.inv(ends[0]) @ ends[1])
        if joint.type != "fixed":
            turn = at_reference[joint.child][:3, :3]
            element.find("axis").set("xyz", numbers_text(turn.T @ joint.axis))
    tree.write(urdf, pretty_print=True, xml_declaration=True, encoding="utf-8")
