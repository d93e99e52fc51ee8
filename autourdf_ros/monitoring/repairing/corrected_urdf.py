"""A URDF with the few numbers of a correction replaced; all other bytes stay.

At the reference configuration of the old model all links keep their poses, except those beyond a
cut. `corrected_document` holds the joint values of that configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from lxml import etree
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.files.urdf_origin import numbers_text, origin_of, set_origin
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.model.result_files import URDF
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.observing.watched_model import WatchedModel
from autourdf_ros.monitoring.repairing.correction import Correction, Cut
from autourdf_ros.monitoring.repairing.moved_meshes import move_collision, move_visual, moving
from autourdf_ros.shape.mass_properties import mass_properties

Array = NDArray[np.float64]

UNCHANGED = 1e-12


def correct_urdf(
    folder: Path, model: WatchedModel, correction: Correction, document: Mapping[str, Any]
) -> None:
    """Rewrite `folder`/robot.urdf, and the meshes that a cut goes through.

    Args:
        folder: Of the new result.
        model: The model before the correction.
        correction: What is replaced.
        document: Content of the new reconstruction.json.
    """
    density = float(document["assumed"]["density"])
    frames = reference_frames(LiveModel(folder))
    tree = etree.parse(folder / URDF, etree.XMLParser(remove_blank_text=True))
    joints = {joint.get("name"): joint for joint in tree.findall("joint")}
    for number, name in enumerate(model.joints):
        before, now = model.articulation.twists[number], correction.lines.twists[number]
        cut = correction.cut
        if cut is None and np.abs(now - before).max() > UNCHANGED:
            anchor = correction.lines.anchors[number]
            _move_axis(tree, joints[name], frames, now, anchor, model, number)
        if abs(correction.offsets[number]) > UNCHANGED:
            _move_zero(joints[name], correction.offsets[number], document["joints"][number])
    if correction.cut is not None:
        link = tree.find(f"link[@name='{model.links[correction.cut.body]}']")
        _move_beyond(tree, link, correction.cut, frames[link.get("name")], folder, density)
    tree.write(folder / URDF, pretty_print=True, xml_declaration=True, encoding="utf-8")


def reference_frames(live: LiveModel) -> dict[str, Array]:
    """Return the pose (4, 4) of every link in the base frame at the reference configuration."""
    given: Mapping[str, Any] = live.document["reference_configuration"]
    values = {drive.joint: float(given[drive.joint]) for drive in live.drives}
    frames = {live.root: np.eye(4)}
    waiting = [*live.fixed_transforms(), *live.moving_transforms(values)]
    while waiting:
        known = [one for one in waiting if one.parent in frames]
        frames |= {one.child: frames[one.parent] @ one.matrix for one in known}
        waiting = [one for one in waiting if one.child not in frames]
    return frames


def _numbers(text: str) -> Array:
    return np.array(text.split(), float)


def _move_zero(joint: etree._Element, offset: float, described: Mapping[str, Any]) -> None:
    """Move the child by `offset` along the joint's axis at the same joint value."""
    axis = _numbers(joint.find("axis").get("xyz"))
    slides = joint.get("type") == "prismatic"
    twist = np.concatenate([np.zeros(3), axis] if slides else [axis, np.zeros(3)])
    set_origin(joint, origin_of(joint) @ exp_se3(twist * offset))
    for end in ("lower", "upper"):
        if described[end] is not None:
            joint.find("limit").set(end, f"{round(described[end], 6):.12g}")


def _move_axis(
    tree: etree._ElementTree,
    joint: etree._Element,
    frames: Mapping[str, Array],
    twist: Array,
    anchor: Array,
    model: WatchedModel,
    number: int,
) -> None:
    """Replace the axis, keep the child's pose at the reference; its frame moves onto the axis."""
    parent, child = (joint.find(tag).get("link") for tag in ("parent", "child"))
    revolute = bool(model.articulation.revolute[number])
    old, new = frames[child], frames[child].copy()
    if revolute:
        new[:3, 3] += anchor - model.articulation.anchors[number]
    axis = new[:3, :3].T @ (twist[:3] if revolute else twist[3:])
    value = _value_at(joint, old, frames[parent])
    own = np.concatenate([axis, np.zeros(3)] if revolute else [np.zeros(3), axis])
    joint.find("axis").set("xyz", numbers_text(axis))
    set_origin(joint, np.linalg.inv(frames[parent]) @ new @ exp_se3(-own * value))
    shift = np.linalg.inv(new) @ old
    link = tree.find(f"link[@name='{child}']")
    children = tree.findall(f"joint/parent[@link='{child}']/..")
    for element in [*link.findall("*"), *children]:
        if element.tag in ("inertial", "visual", "collision", "joint"):
            set_origin(element, shift @ origin_of(element))


def _value_at(joint: etree._Element, child: Array, parent: Array) -> float:
    """Return the joint's value at these poses of its links."""
    moved = np.linalg.inv(origin_of(joint)) @ np.linalg.inv(parent) @ child
    axis = _numbers(joint.find("axis").get("xyz"))
    if joint.get("type") == "prismatic":
        return float(axis @ moved[:3, 3])
    return float(axis @ Rotation.from_matrix(moved[:3, :3]).as_rotvec())


def _move_beyond(
    tree: etree._ElementTree,
    link: etree._Element,
    cut: Cut,
    frame: Array,
    folder: Path,
    density: float,
) -> None:
    """Move everything beyond a cut of this link, whose frame is at (4, 4)."""
    motion = np.linalg.inv(frame) @ cut.motion @ frame
    for joint in tree.findall(f"joint/parent[@link='{link.get('name')}']/.."):
        set_origin(joint, motion @ origin_of(joint))
    if cut.span is None:
        return
    if not cut.span.any():
        for element in link.findall("*"):
            set_origin(element, motion @ origin_of(element))
        return
    name = link.get("name")
    for kind, replaced in (("visual", move_visual), ("collision", move_collision)):
        for shape in link.findall(kind):
            mesh = shape.find("geometry/mesh")
            if mesh is not None:
                old = folder / mesh.get("filename")
                new = replaced(old, name, moving(cut, frame @ origin_of(shape)))
                mesh.set("filename", new.relative_to(folder).as_posix())
    _weigh(link, folder, density)


def _weigh(link: etree._Element, folder: Path, density: float) -> None:
    """Write mass and inertia of the link's new shape."""
    visual = link.find("visual")
    mesh = None if visual is None else visual.find("geometry/mesh")
    if visual is None or mesh is None:
        return
    solid = trimesh.load_mesh(folder / mesh.get("filename"), process=False)
    mass = mass_properties(solid.apply_transform(origin_of(visual)), density)
    inertial, centre = link.find("inertial"), np.eye(4)
    centre[:3, 3] = mass.centre
    set_origin(inertial, centre)
    inertial.find("mass").set("value", f"{mass.mass:.9g}")
    tensor = inertial.find("inertia")
    for row, column in ("xx", "xy", "xz", "yy", "yz", "zz"):
        entry = mass.inertia["xyz".index(row), "xyz".index(column)]
        tensor.set(f"i{row}{column}", f"{entry:.9g}")
