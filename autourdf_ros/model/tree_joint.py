"""A joint of a kinematic tree: its type, screw axis and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autourdf_ros.errors import InputError

JointType = Literal["revolute", "continuous", "prismatic", "fixed"]
JOINT_TYPES: tuple[JointType, ...] = ("revolute", "continuous", "prismatic", "fixed")

_UNIT = 1e-6  # of an axis' length, less or more: what numbers written to six digits lose


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier * value of `joint` + offset (rad or m)."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class TreeJoint:
    """A joint between two links, in the base frame at the reference configuration.

    Attributes:
        parent: Name of the link that it hangs on.
        child: Name of the link that it moves.
        axis: (3,) unit vector; of a fixed joint without meaning.
        point: (3,) on the axis line (m), the joint's origin.
        lower: Least value of the joint (rad or m), -inf without limit.
        upper: Greatest value, inf without limit.
        reference: Value at the reference configuration.
        mimic: The joint that it follows, or None.

    Raises:
        InputError: the type is unknown, the axis is no unit vector, or lower is above upper.
    """

    name: str
    type: JointType
    parent: str
    child: str
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    lower: float
    upper: float
    reference: float = 0.0
    mimic: Mimic | None = None

    def __post_init__(self) -> None:
        if self.type not in JOINT_TYPES:
            raise InputError(
                f"joint '{self.name}' has type {self.type!r}; accepted: {', '.join(JOINT_TYPES)}"
            )
        length = float(np.linalg.norm(self.axis))
        if self.type != "fixed" and not abs(length - 1) < _UNIT:
            raise InputError(
                f"joint '{self.name}' has an axis of length {length:g}; accepted is a unit vector"
            )
        if self.lower > self.upper:
            raise InputError(
                f"joint '{self.name}' has limits {self.lower:g} to {self.upper:g}; accepted is "
                "the lower one first"
            )

    def renamed(self, links: Mapping[str, str], joints: Mapping[str, str]) -> Self:
        """Return the joint with other names of itself and of what it names, given by today's."""
        mimic = self.mimic
        if mimic is not None:
            mimic = replace(mimic, joint=joints.get(mimic.joint, mimic.joint))
        return replace(
            self,
            name=joints.get(self.name, self.name),
            parent=links.get(self.parent, self.parent),
            child=links.get(self.child, self.child),
            mimic=mimic,
        )


def joint_motion(joint: TreeJoint, values: ArrayLike) -> NDArray[np.float64]:
    """Return the motions of a joint's child, with its parent at the reference configuration.

    Args:
        joint: The joint.
        values: (...) its values (rad or m).

    Returns:
        (..., 4, 4) exponentials of the joint's screw, base frame; the identity at its reference
        value.
    """
    travel = np.asarray(values, float)[..., None, None] - joint.reference
    motion = np.broadcast_to(np.eye(4), (*travel.shape[:-2], 4, 4)).copy()
    axis = np.asarray(joint.axis, float)
    if joint.type == "prismatic":
        motion[..., :3, 3] = travel[..., 0] * axis
    elif joint.type != "fixed":
        cross = np.cross(np.eye(3), axis)
        rotation = np.eye(3) + np.sin(travel) * cross + (1 - np.cos(travel)) * (cross @ cross)
        motion[..., :3, :3] = rotation
        motion[..., :3, 3] = joint.point - rotation @ joint.point
    return motion
