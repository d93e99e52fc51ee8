"""Errors of a mechanism's joints: types, tree, axes and pivots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint

Array = NDArray[np.float64]

_TYPES = {
    ("fixed",): "fixed",
    ("revolute",): "revolute",
    ("prismatic",): "prismatic",
    ("prismatic", "prismatic", "revolute"): "planar",
}


@dataclass(frozen=True)
class TrueJoint:
    """A joint of the truth, in the world at one moment.

    Attributes:
        kind: "fixed", "revolute", "prismatic" or "planar".
        parent: Name of a body; None: the world.
        child: Name of the body that it moves.
        axis: (3,) unit vector; of a planar joint its normal.
        point: (3,) on it (m).
    """

    kind: str
    parent: str | None
    child: str
    axis: Array
    point: Array


@dataclass(frozen=True)
class JointErrors:
    """How right the joints are.

    Attributes:
        right: Whether types and tree are all right.
        axis: Greatest angle between found and true axes of joints that are right (rad), or NaN.
        pivot: Greatest distance of true pivots from the found axes of revolute joints (m), or NaN.
        found: What was found, for a reader.
    """

    right: bool
    axis: float
    pivot: float
    found: str


def joint_errors(
    tree: KinematicTree, truth: Sequence[TrueJoint], bodies: Sequence[str]
) -> JointErrors:
    """Compare a tree with the truth at the tree's reference configuration.

    Joints between two bodies count whichever of them is the parent. A planar joint to the world
    may move any body of a mechanism: which one is the base, motion does not show.

    Args:
        tree: Found; its root is the world.
        truth: At the moment of the reference configuration.
        bodies: Names of the links that are bodies.
    """
    found = [_chain(tree, body, set(bodies)) for body in bodies]
    pairs = {frozenset((one.parent, one.child)): one for one in found}
    wanted = {_key(joint): joint.kind for joint in truth}
    got = {_key(one): one.kind for one in found}
    axes, pivots = [0.0], [0.0]
    for joint in truth:
        match = pairs.get(frozenset((joint.parent, joint.child)))
        if match is None or match.kind != joint.kind or joint.kind == "fixed":
            continue
        line = match.joints[-1]
        axes.append(float(np.arccos(min(abs(float(line.axis @ joint.axis)), 1.0))))
        if joint.kind == "revolute":
            pivots.append(float(np.linalg.norm(np.cross(joint.point - line.point, line.axis))))
    known = len(axes) > 1
    return JointErrors(
        wanted == got,
        max(axes) if known else np.nan,
        max(pivots) if len(pivots) > 1 else np.nan,
        ", ".join(f"{one.parent or 'world'}-{one.kind}-{one.child}" for one in found),
    )


@dataclass(frozen=True)
class _Chain:
    """What connects a body to the next one or the world: 1-DoF joints in a row."""

    kind: str
    parent: str | None
    child: str
    joints: tuple[TreeJoint, ...]


def _chain(tree: KinematicTree, body: str, bodies: set[str]) -> _Chain:
    joints: list[TreeJoint] = []
    link = body
    while (joint := tree.joint_of(link)) is not None:
        joints.insert(0, joint)
        link = joint.parent
        if link in bodies:
            break
    types = tuple("revolute" if one.type == "continuous" else one.type for one in joints)
    kind = _TYPES.get(types, "+".join(types))
    return _Chain(kind, link if link in bodies else None, body, tuple(joints))


def _key(joint: TrueJoint | _Chain) -> frozenset[str | None]:
    if joint.kind == "planar" and joint.parent is None:
        return frozenset({None, "any body"})
    return frozenset((joint.parent, joint.child))
