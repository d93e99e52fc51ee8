"""The kinematic skeleton: what an estimate and the truth are both reduced to before comparison."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.self_model import SelfModel

MotionType = Literal["revolute", "prismatic"]


@dataclass(frozen=True)
class SkeletonJoint:
    """A joint that moves.

    Attributes:
        axis: (3,) unit, base frame.
        point: (3,) the joint's origin, metres, base frame; without meaning for a prismatic joint.
        parent, child: Numbers of the bodies that it joins.
    """

    name: str
    type: MotionType
    axis: NDArray[np.float64]
    point: NDArray[np.float64]
    parent: int
    child: int


@dataclass(frozen=True)
class Skeleton:
    """The moving joints of a robot at one configuration; links that fixed joints join are one body.

    A view on a `KinematicTree` (`skeleton_of`), or on a truth file: bodies are numbers there.

    Body 0 is the fixed one. Every other body is the child of exactly one joint.

    Attributes:
        size: Diagonal of the robot's bounding box (m), or of its joints' where no shape is known;
            infinite where that is a single point.
    """

    joints: tuple[SkeletonJoint, ...]
    size: float

    def __post_init__(self) -> None:
        parents = {joint.child: joint.parent for joint in self.joints}
        if len(parents) != len(self.joints) or 0 in parents:
            raise InputError(f"the joints {list(self.names)} form no tree rooted at body 0")
        for joint in self.joints:
            body, steps = joint.parent, 0
            while body in parents and steps < len(parents):
                body, steps = parents[body], steps + 1
            if body != 0:
                raise InputError(f"joint '{joint.name}' does not lead back to the fixed body 0")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, in order."""
        return tuple(joint.name for joint in self.joints)

    def joint(self, name: str) -> SkeletonJoint:
        """Return the joint of this name. Raises ValueError where there is none."""
        return self.joints[self.names.index(name)]

    def children(self, body: int) -> tuple[int, ...]:
        """Return the indices of the joints whose parent is `body`."""
        return tuple(index for index, joint in enumerate(self.joints) if joint.parent == body)

    def frozen(self, names: Collection[str]) -> Skeleton:
        """Return the skeleton with the joints of these names rigid: their bodies become one."""
        merged_into = {joint.child: joint.parent for joint in self.joints if joint.name in names}

        def body(number: int) -> int:
            while number in merged_into:
                number = merged_into[number]
            return number

        return replace(
            self,
            joints=tuple(
                replace(joint, parent=body(joint.parent))
                for joint in self.joints
                if joint.name not in names
            ),
        )


def skeleton_of(model: SelfModel) -> Skeleton:
    """Return the moving joints of a model at its reference, fixed joints contracted."""
    numbers = {link.name: number for number, link in enumerate(model.links)}
    moving = tuple(
        SkeletonJoint(
            name=joint.name,
            type="prismatic" if joint.type == "prismatic" else "revolute",
            axis=joint.axis,
            point=joint.point,
            parent=numbers[joint.parent],
            child=numbers[joint.child],
        )
        for joint in model.joints
    )
    fixed = {joint.name for joint in model.joints if joint.type == "fixed"}
    shapes = [link.surface.points for link in model.links if len(link.surface.points)]
    points = np.concatenate(shapes) if shapes else joint_points(moving)
    return Skeleton(moving, extent(points)).frozen(fixed)


def link_bodies(model: SelfModel) -> tuple[int, ...]:
    """Return the body of every link of the model, numbered as in its skeleton."""
    numbers = {link.name: number for number, link in enumerate(model.links)}
    for joint in model.joints:  # parents come before their children
        if joint.type == "fixed":
            numbers[joint.child] = numbers[joint.parent]
    return tuple(numbers[link.name] for link in model.links)


def joint_points(joints: Collection[SkeletonJoint]) -> NDArray[np.float64]:
    """Return the (J, 3) origins of the joints."""
    return np.array([joint.point for joint in joints], dtype=float).reshape(-1, 3)


def extent(points: NDArray[np.float64]) -> float:
    """Return the diagonal of the bounding box of (N, 3) points, infinite for a single point."""
    if len(points) == 0:
        return float("inf")
    diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
    return diagonal if diagonal > 0 else float("inf")
