"""Known forces on bodies and efforts of joints, as forces along the joints of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.errors import InputError
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint

Array = NDArray[np.float64]


def generalised_forces(
    table: ForceTable,
    tree: KinematicTree,
    origins: Mapping[str, Array],
    values: Array,
    joints: tuple[str, ...],
) -> Array:
    """Return (F, J) forces along the named joints (N m, or N of those that slide).

    A force f at p does the work (a x (p - o)) f on a joint that turns about a through o, and a f
    on one that slides along a (Featherstone, "Rigid Body Dynamics Algorithms", 2008, section 2.4).

    Args:
        table: What acts at F stamps.
        tree: Of the mechanism.
        origins: (4, 4) frames of the bodies at the reference configuration, by link.
        values: (F, all joints) where the mechanism is at the stamps, in the tree's order.
        joints: J names.

    Raises:
        InputError: the table names a joint or body that is unknown.
    """
    _refuse_unknown("joint", table.efforts, joints)
    _refuse_unknown("body", table.forces, tuple(origins))
    found = np.zeros((len(table.stamps), len(joints)))
    for name, efforts in table.efforts.items():
        found[:, joints.index(name)] += efforts
    motions = tree.motions(values)
    for body, forces in table.forces.items():
        place = motions[:, tree.links.index(body)] @ origins[body]
        points = table.points.get(body, place[:, :3, 3])
        for joint in _above(tree, body):
            if joint.name in joints:
                moved = motions[:, tree.links.index(joint.parent)]
                found[:, joints.index(joint.name)] += _work(joint, moved, points, forces)
    return found


def _work(joint: TreeJoint, motions: Array, points: Array, forces: Array) -> Array:
    """(F,) work per unit of the joint's value; motions: (F, 4, 4) of its parent."""
    axis = motions[:, :3, :3] @ joint.axis
    if joint.type == "prismatic":
        return np.asarray(np.einsum("ti,ti->t", axis, forces))
    origin = motions[:, :3, :3] @ joint.point + motions[:, :3, 3]
    arm = np.cross(axis, np.nan_to_num(points - origin))
    return np.asarray(np.einsum("ti,ti->t", arm, forces))


def _above(tree: KinematicTree, link: str) -> list[TreeJoint]:
    """Joints between a link and the root."""
    found = []
    joint = tree.joint_of(link)
    while joint is not None:
        found.append(joint)
        joint = tree.joint_of(joint.parent)
    return [one for one in found if one.type != "fixed"]


def _refuse_unknown(what: str, given: Mapping[str, object], known: tuple[str, ...]) -> None:
    if unknown := sorted(set(given) - set(known)):
        raise InputError(
            f"forces: {what} {unknown[0]!r} is unknown; accepted are {', '.join(known)}"
        )
