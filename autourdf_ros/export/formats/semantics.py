"""What planners and simulators ask of a robot beyond its URDF: groups, drives, a home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from autourdf_ros.export.formats.planning_groups import PlanningGroup, planning_groups
from autourdf_ros.export.formats.urdf import BASE_LINK, UrdfNames
from autourdf_ros.model.layers.kinematics import BaseKind
from autourdf_ros.model.limits.drive_limits import DriveLimits, assumed_limits
from autourdf_ros.model.self_model import Joint, SelfModel

Role = Literal["driven", "following", "passive"]


@dataclass(frozen=True)
class MovingJoint:
    """A joint that moves.

    Attributes:
        home: Its value where the robot stood in the reference frame, within its limits (rad or m).
        role: Driven by a motor; following another joint; or passive: without a motor, though others
            have one.
        armature: Reflected inertia of its drive (kg m² or kg), where it was measured.
    """

    name: str
    home: float
    drive: DriveLimits
    role: Role
    armature: float = 0.0


@dataclass(frozen=True)
class Semantics:
    """Groups and joints of a robot, by their names in the URDF.

    Attributes:
        robot: Its name there.
        floating: Whether its base moves freely in the world.
        cameras: Topics of the depth cameras that see it.
    """

    robot: str
    groups: tuple[PlanningGroup, ...]
    joints: tuple[MovingJoint, ...]
    floating: bool = False
    cameras: tuple[str, ...] = ()

    def of(self, group: PlanningGroup, role: Role = "driven") -> tuple[MovingJoint, ...]:
        """Return the joints of a group that have this role."""
        return tuple(
            joint for joint in self.joints if joint.role == role and joint.name in group.joints
        )


def semantics(
    model: SelfModel,
    names: UrdfNames,
    drives: Mapping[str, DriveLimits],
    base: BaseKind = "fixed",
) -> Semantics:
    """Return groups and moving joints of a model, and whether its base floats.

    Args:
        drives: By the model's names, where they are known.
        base: How the base was seen to move.
    """
    with_motors = any(_motor(joint) for joint in model.joints)
    measured = {} if model.dynamics is None else model.dynamics.joints
    return Semantics(
        names.robot,
        tuple(_renamed(group, model, names) for group in planning_groups(model)),
        tuple(
            MovingJoint(
                names.joints[joint.name],
                min(max(joint.reference, joint.lower), joint.upper) + 0.0,
                drives.get(joint.name) or assumed_limits(joint),
                _role(joint, with_motors),
                measured[joint.name].armature if joint.name in measured else 0.0,
            )
            for joint in model.joints
            if joint.type != "fixed"
        ),
        floating=base == "floating",
    )


def _renamed(group: PlanningGroup, model: SelfModel, names: UrdfNames) -> PlanningGroup:
    at_root = group.base == model.links[0].name
    return replace(
        group,
        base=BASE_LINK if at_root else names.links[group.base],
        links=tuple(names.links[link] for link in group.links),
        joints=tuple(names.joints[joint] for joint in group.joints),
    )


def _role(joint: Joint, with_motors: bool) -> Role:
    if joint.mimic is not None:
        return "following"
    return "passive" if with_motors and not _motor(joint) else "driven"


def _motor(joint: Joint) -> bool:
    return joint.estimate is not None and joint.estimate.motor is not None
