"""Poses and numbers as a URDF has them."""

from __future__ import annotations

import warnings

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

_DIGITS = 12


def origin_of(element: etree._Element) -> NDArray[np.float64]:
    """Return the (4, 4) pose in an element's origin (m)."""
    origin, pose = element.find("origin"), np.eye(4)
    if origin is not None:
        pose[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
        angles = _numbers(origin.get("rpy", "0 0 0"))
        pose[:3, :3] = Rotation.from_euler("xyz", angles).as_matrix()
    return pose


def set_origin(element: etree._Element, pose: NDArray[np.float64]) -> None:
    """Write a (4, 4) pose (m) as an element's origin, which is its first child where it is new."""
    origin = element.find("origin")
    if origin is None:
        origin = etree.Element("origin")
        element.insert(0, origin)
    origin.set("xyz", numbers_text(pose[:3, 3]))
    origin.set("rpy", numbers_text(roll_pitch_yaw(pose)))


def roll_pitch_yaw(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angles (3,) in rad about the fixed x, y and z axes of a pose (4, 4)."""
    with warnings.catch_warnings():
        # At a pitch of 90 degrees any split between roll and yaw is the same rotation.
        warnings.filterwarnings("ignore", "Gimbal lock", UserWarning)
        return np.asarray(Rotation.from_matrix(pose[:3, :3]).as_euler("xyz"))


def numbers_text(values: NDArray[np.float64]) -> str:
    """Return numbers of a URDF: 12 digits, without negative zeros."""
    return " ".join(f"{round(value, _DIGITS) + 0.0:.12g}" for value in values.tolist())


def _numbers(text: str) -> NDArray[np.float64]:
    return np.array(text.split(), float)
