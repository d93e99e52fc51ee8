"""Writes a scene as MJCF, and compiles it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.simulation.mechanisms.mechanism_scene import (
    MechanismBody,
    MechanismJoint,
    MechanismScene,
)

Array = NDArray[np.float64]

STEP = 1 / 960
"""Step of the simulator that makes the truth (s): 32 of them between the frames of 30 Hz."""

_PLANAR = (("slide", (1.0, 0.0, 0.0)), ("slide", (0.0, 1.0, 0.0)), ("hinge", (0.0, 0.0, 1.0)))
_TYPES = {"revolute": "hinge", "prismatic": "slide"}


def compiled(scene: MechanismScene, step: float = STEP) -> Any:
    """Return the MuJoCo model of a scene with its true parameters."""
    return mujoco.MjModel.from_xml_string(mjcf(scene, step))


def mjcf(scene: MechanismScene, step: float = STEP) -> str:
    """Return a scene as MJCF: bodies with their inertias, joints, and primitives as geoms.

    Nothing collides: what touches a mechanism acts as a force (`finger_drives`). The integrator is
    Runge-Kutta 4: semi-implicit ones let forces act half a step early, which a video shows.

    Args:
        scene: Bodies, joints and parameters.
        step: Of the simulator (s).
    """
    root = ElementTree.Element("mujoco", model=scene.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true")
    ElementTree.SubElement(root, "option", timestep=repr(step), integrator="RK4")
    elements: dict[str | None, ElementTree.Element] = {
        None: ElementTree.SubElement(root, "worldbody")
    }
    for joint in scene.joints:
        body = scene.body(joint.child)
        home = np.eye(4) if joint.parent is None else scene.body(joint.parent).home
        element = _body(elements[joint.parent], body, np.linalg.inv(home) @ body.home)
        _inertial(element, body)
        _joints(element, joint, body.home)
        elements[joint.child] = element
    for driver in (body for body in scene.bodies if body.is_driver):
        element = _body(elements[None], driver, driver.home)
        element.set("mocap", "true")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _body(parent: ElementTree.Element, body: MechanismBody, pose: Array) -> ElementTree.Element:
    quaternion = Rotation.from_matrix(pose[:3, :3]).as_quat(scalar_first=True)
    element = ElementTree.SubElement(parent, "body", name=body.name)
    element.set("pos", _numbers(pose[:3, 3]))
    element.set("quat", _numbers(quaternion))
    if body.primitive is not None:
        size = np.array(body.primitive.size)
        if body.primitive.kind == "box":
            size = size / 2
        elif len(size) > 1:
            size = size * [1, 0.5]
        ElementTree.SubElement(
            element,
            "geom",
            type=body.primitive.kind,
            size=_numbers(size),
            contype="0",
            conaffinity="0",
        )
    return element


def _inertial(element: ElementTree.Element, body: MechanismBody) -> None:
    inertia = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    ElementTree.SubElement(
        element,
        "inertial",
        pos=_numbers(body.centre),
        mass=repr(float(body.mass)),
        fullinertia=_numbers(inertia),
    )


def _joints(element: ElementTree.Element, joint: MechanismJoint, home: Array) -> None:
    if joint.kind == "fixed":
        return
    if joint.kind == "planar":
        kinds = [(kind, np.array(axis)) for kind, axis in _PLANAR]
    else:
        kinds = [(_TYPES[joint.kind], joint.axis)]
    pivot = home[:3, :3].T @ (joint.pivot - home[:3, 3])
    for name, (kind, axis) in zip(joint.coordinates, kinds, strict=True):
        lever = joint.lever if joint.kind == "planar" and kind == "hinge" else 1.0
        ElementTree.SubElement(
            element,
            "joint",
            name=name,
            type=kind,
            axis=_numbers(axis @ home[:3, :3]),
            pos=_numbers(pivot),
            damping=repr(float(joint.damping * lever**2)),
            frictionloss=repr(float(joint.friction * lever)),
            armature=repr(float(joint.armature * lever**2)),
        )


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)
