"""The parameters of the simulated cell's force sensors, and of the object that the robot holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.sim_cell.wrist_topic import WristFrame
from autourdf_ros.simulation.live.force_sensing import EffortOptions, ForceOptions, WristOptions
from autourdf_ros.simulation.live.held_object import (
    HeldObject,
    homogeneous_object,
    stated_object,
)

_SHARE = "as a share of each joint's typical effort"
_EFFORTS = {
    "coulomb": f"Coulomb friction of the joints, {_SHARE}.",
    "viscous": f"Viscous friction at the joint's root-mean-square velocity, {_SHARE}.",
    "noise": f"Standard deviation of the efforts' noise, {_SHARE}.",
}
_LIGHTEST, _DENSEST = 1.0, 25000.0  # kg/m³: foam, and the densest metals


def force_options(declare: Parameters) -> ForceOptions:
    """Declare the parameters of sensors and held object. Raise InputError for a wrong value."""
    wrist = _wrist_options(declare)
    efforts = None
    if declare.flag("efforts.published", True, "Whether the joint states have efforts."):
        efforts = EffortOptions(
            **{
                name: declare.number(
                    f"efforts.{name}", getattr(EffortOptions, name), text, 0.0, 10.0
                )
                for name, text in _EFFORTS.items()
            }
        )
    return ForceOptions(wrist, efforts, _held_object(declare, "" if wrist is None else wrist.link))


def wrist_frame(declare: Parameters, wrist: WristOptions | None) -> WristFrame | None:
    """Declare topic and frame of the sensor; return None where there is no sensor."""
    topic = declare.text(
        "wrench.topic", "/force_torque_sensor_broadcaster/wrench", "Topic of the wrenches."
    )
    frame = declare.text("wrench.frame", "", "Frame of the wrenches; empty: the link's name.")
    transform = declare.flag(
        "wrench.transform", True, "Whether the frame's pose in the base frame goes to /tf."
    )
    return None if wrist is None else WristFrame(topic, frame or wrist.link, transform)


def _wrist_options(declare: Parameters) -> WristOptions | None:
    link = declare.text(
        "wrench.link", "", "Link on whose mount the force-torque sensor sits; empty: no sensor."
    )
    force = "Standard deviation of a force's noise (N)."
    torque = "Standard deviation of a torque's noise (N m)."
    options = WristOptions(
        link,
        declare.number("wrench.force_noise", WristOptions.force_noise, force, 0.0, 1000.0),
        declare.number("wrench.torque_noise", WristOptions.torque_noise, torque, 0.0, 1000.0),
        declare.vector("wrench.bias", WristOptions.bias, "Added to forces (N), torques (N m)."),
    )
    return options if link else None


def _held_object(declare: Parameters, wrist: str) -> HeldObject | None:
    mesh = declare.text("object.mesh", "", "Mesh file (m) of a held object; empty: none.")
    density = declare.number(
        "object.density", 1000.0, "Density of the object (kg/m³).", _LIGHTEST, _DENSEST
    )
    inertial = declare.vector(
        "object.inertial",
        (0.0,) * 10,
        "Mass (kg), centre of mass (m), ixx iyy izz ixy ixz iyz about it, in the object's frame; "
        "mass 0: the density counts.",
    )
    pose = declare.vector(
        "object.pose", (0.0,) * 6, "x y z (m), roll pitch yaw (rad) in the link's frame."
    )
    link = declare.text("object.link", "", "Link that holds it; empty: the sensor's.") or wrist
    stated = bool(inertial[0])
    if not mesh and not stated:
        return None
    if not link:
        raise InputError("parameter object.link is empty; accepted is the link that holds it")
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = Rotation.from_euler("xyz", pose[3:]).as_matrix(), pose[:3]
    if not stated:
        return homogeneous_object(Path(mesh), density, link, matrix)
    return stated_object(np.array(inertial), Path(mesh) if mesh else None, link, matrix)
