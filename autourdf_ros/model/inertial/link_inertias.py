"""Inertial parameters of a URDF's links, and of all that hangs on one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import is_consistent, moved, parameters_from
from autourdf_ros.model.urdf.described_robot import DescribedRobot, Inertial
from autourdf_ros.model.urdf.posed_urdf import read_urdf
from autourdf_ros.model.urdf.urdf_reading import read_description

Array = NDArray[np.float64]


def parameters_below(urdf: Path, link: str, values: Mapping[str, float] | None = None) -> Array:
    """Return the parameters (10,) of a link and all that hangs on it, in the link's frame.

    Args:
        urdf: Robot description; links without `<inertial>` weigh nothing.
        link: Name of the first one.
        values: Joint positions by name (rad or m); others at 0.

    Raises:
        InputError: names the link or joint, or an `<inertial>` that is no body's.
    """
    robot = read_description(urdf)
    poses = link_poses(urdf, values or {})
    if link not in poses:
        raise InputError(f"{urdf}: has no link {link!r}; it has {', '.join(poses)}")
    into = np.linalg.inv(poses[link])
    total = np.zeros(10)
    for one in robot.links:
        if one.inertial is None or one.name not in _below(robot, link):
            continue
        own = _parameters(urdf, one.name, one.inertial)
        total += moved(own, into @ poses[one.name])
    if total[0] <= 0:
        raise InputError(
            f"{urdf}: link {link!r} and what hangs on it have no mass; accepted are links with "
            "<inertial>"
        )
    return total


def link_poses(urdf: Path, values: Mapping[str, float]) -> dict[str, Array]:
    """Return the pose (4, 4) of every link in the root's frame at joint positions by name.

    Raises:
        InputError: the file is no URDF, or a joint is unknown.
    """
    robot = read_urdf(urdf)
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.configuration_vector(values))
    return {
        frame.name: data.oMf[number].homogeneous.copy()
        for number, frame in enumerate(robot.model.frames)
        if frame.type == pin.FrameType.BODY
    }


def _below(robot: DescribedRobot, link: str) -> set[str]:
    """Names of a link and of all its descendants."""
    children: dict[str, list[str]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint.child)
    found, left = {link}, [link]
    while left:
        new = [child for child in children.get(left.pop(), ()) if child not in found]
        found.update(new)
        left += new
    return found


def _parameters(urdf: Path, name: str, inertial: Inertial) -> Array:
    """(10,) in the link's frame."""
    own = parameters_from(inertial.mass, np.zeros(3), inertial.tensor)
    if not np.isfinite(own).all() or not (inertial.mass == 0 or is_consistent(own)):
        raise InputError(
            f"{urdf}: link {name!r} has an <inertial> that is no body's; accepted are a mass of 0 "
            "or more, and moments that a body of it can have"
        )
    return moved(own, inertial.pose)
