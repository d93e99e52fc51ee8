"""Corrections of a robot's axes, and the poses of its links in images with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.kinematic_tree import KinematicTree

MOVED = {"revolute": 0.05, "continuous": 0.05, "prismatic": 0.005}
"""Standard deviation of a joint's values (rad or m) from which images see it move."""


@dataclass(frozen=True)
class AxisCorrections:
    """Small changes of the axes of J joints; also gradients by them.

    Attributes:
        turns: (J, 2) about `ImageJoints.across`, at the joint's point (rad).
        shifts: (J, 2) along them (m); without effect on a prismatic joint.
    """

    turns: Array
    shifts: Array

    @classmethod
    def none(cls, count: int) -> AxisCorrections:
        """Return those of `count` joints that change nothing."""
        return cls(np.zeros((count, 2)), np.zeros((count, 2)))

    def arrays(self) -> dict[str, Array]:
        """Return all arrays by name."""
        return {"turns": self.turns, "shifts": self.shifts}


@dataclass(frozen=True)
class ImageJoints:
    """The joints of a robot in F images.

    Attributes:
        tree: Of the robot, with J joints and L links.
        values: (F, J) of the joints, as they were recorded.
    """

    tree: KinematicTree
    values: Array

    @cached_property
    def across(self) -> Array:
        """(J, 2, 3) unit vectors, orthogonal to each joint's axis and to each other."""
        any_axis = np.array([1.0, 0, 0])  # a fixed joint's axis has no meaning
        axes = [any_axis if joint.type == "fixed" else joint.axis for joint in self.tree.joints]
        return across_basis(np.array(axes).reshape(-1, 3))

    @cached_property
    def moved(self) -> NDArray[np.bool_]:
        """(J,) whether the images show a joint move."""
        return np.array(
            [
                joint.type in MOVED and bool(np.std(values) > MOVED[joint.type])
                for joint, values in zip(self.tree.joints, self.values.T, strict=True)
            ]
        )

    def corrected(self, corrections: AxisCorrections) -> KinematicTree:
        """Return the tree with the axes moved."""
        turns = np.einsum("jk,jka->ja", corrections.turns, self.across)
        shifts = np.einsum("jk,jka->ja", corrections.shifts, self.across)
        joints = tuple(
            replace(joint, axis=turn.apply(joint.axis), point=joint.point + shift)
            for joint, turn, shift in zip(
                self.tree.joints, Rotation.from_rotvec(turns), shifts, strict=True
            )
        )
        return KinematicTree(self.tree.links, joints)

    def poses(self, image: int, corrections: AxisCorrections) -> Array:
        """Return the poses (L, 4, 4) of the links in the base frame."""
        return self.corrected(corrections).motions(self.values[image]) @ self._frames

    def gradients(self, image: int, corrections: AxisCorrections, twists: Array) -> AxisCorrections:
        """Return the gradients by the corrections; 0 of joints that the images do not show move.

        Args:
            image: Its number.
            corrections: Where the gradients are.
            twists: (L, 6) gradients by a twist (omega, v) of each link in the base frame.
        """
        tree = self.corrected(corrections)
        motions = tree.motions(self.values[image])
        number = {name: index for index, name in enumerate(tree.links)}
        totals = of_subtrees(tree, twists)
        found = AxisCorrections.none(len(tree.joints))
        for index, joint in enumerate(tree.joints):
            if not self.moved[index]:
                continue
            child, parent = number[joint.child], number[joint.parent]
            before, after = adjoint(motions[[parent, child]])
            # The child's motion is exp(d) M exp(-d): by d, its twist is the parent's less its own.
            by_change = (before - after).T @ totals[child]
            across = self.across[index]
            # A turn t about the point p has the velocity p x t at the origin.
            at_origin = np.cross(joint.point, across)
            found.turns[index] = across @ by_change[:3] + at_origin @ by_change[3:]
            if joint.type != "prismatic":
                found.shifts[index] = across @ by_change[3:]
        return found

    @cached_property
    def _frames(self) -> NDArray[np.float64]:
        return link_frames(self.tree)


def of_subtrees(tree: KinematicTree, twists: Array) -> Array:
    """Return the sums (L, 6) of gradients of each link and of all beyond it."""
    totals = np.array(twists, float)
    number = {name: index for index, name in enumerate(tree.links)}
    inward = {joint.child: joint.parent for joint in tree.joints}
    for name in reversed(tree.links[1:]):
        totals[number[inward[name]]] += totals[number[name]]
    return totals
