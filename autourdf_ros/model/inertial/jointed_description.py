"""A held object with joints: its description, and where its links are at stated joint values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.inertial_parameters import moving_matrix
from autourdf_ros.model.inertial.link_inertias import link_poses
from autourdf_ros.model.urdf.posed_urdf import UrdfRobot, read_urdf

Array = NDArray[np.float64]

_ROUNDING = 1e-9
"""Rad or m by which a value may exceed a limit: what writing and reading numbers loses."""


@dataclass(frozen=True)
class JointedDescription:
    """A URDF of an object at joint values.

    Attributes:
        path: Of the URDF.
        values: Of every joint that is free (rad or m), by name; followers are left out.
        links: (k) names, in the order of the file.
        poses: (k, 4, 4) of the links' frames in the root link's frame.
    """

    path: Path
    values: Mapping[str, float]
    links: tuple[str, ...]
    poses: Array


def jointed_description(path: Path, given: Mapping[str, float], option: str) -> JointedDescription:
    """Return a description at joint values.

    Args:
        path: Of a URDF.
        given: Joint values by name (rad or m); the others are 0.
        option: Name of the user's option, for errors.

    Raises:
        InputError: names the file, or the joint, its value and what is accepted.
    """
    values = _checked(read_urdf(path), given, option)
    poses = link_poses(path, values)
    return JointedDescription(path, values, tuple(poses), np.array(list(poses.values())))


def joint_values(texts: Iterable[str], option: str) -> dict[str, float]:
    """Return joint values of texts NAME=VALUE. Raises InputError for any other text."""
    values: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not (name and equals and math.isfinite(value)) or name in values:
            raise InputError(
                f"{option} {text}; accepted is NAME=VALUE, each joint once, with a finite number "
                "(rad or m)"
            )
        values[name] = value
    return values


def summed_matrix(poses: Array) -> Array:
    """Return the matrix (10, 10 k) from the parameters of k links, stacked, to those of the whole.

    Args:
        poses: (k, 4, 4) of the links' frames in the frame of the whole.
    """
    return np.hstack([moving_matrix(pose) for pose in poses])


def _checked(robot: UrdfRobot, given: Mapping[str, float], option: str) -> dict[str, float]:
    """Return the values of all free joints, within their limits."""
    free = [name for name in robot.joint_names if name not in robot.mimics]
    for name, value in given.items():
        if name not in free:
            accepted = f"accepted are {', '.join(free)}" if free else "it has no joint that moves"
            follows = " (it follows another)" if name in robot.mimics else ""
            raise InputError(
                f"{option} {name}={value:g}: no free joint of {robot.path}{follows}; {accepted}"
            )
    configuration = robot.configuration_vector(given)
    for index, name in enumerate(robot.joint_names, start=1):
        joint = robot.model.joints[index]
        value = float(configuration[joint.idx_q])
        lower = float(robot.model.lowerPositionLimit[joint.idx_q])
        upper = float(robot.model.upperPositionLimit[joint.idx_q])
        if joint.nq == 1 and not lower - _ROUNDING <= value <= upper + _ROUNDING:
            default = "" if name in given else "; free joints that are not given are 0"
            raise InputError(
                f"{option} {name}={value:g}: accepted are {lower:g} to {upper:g}, its limits in "
                f"{robot.path}{default}"
            )
    return {name: float(given.get(name, 0.0)) for name in free}
