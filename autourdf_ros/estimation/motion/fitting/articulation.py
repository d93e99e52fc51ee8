"""An articulated surface: posing it, and how its points' poses depend on its parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import line_perturbations, normalise, on_axes
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, exp_se3


@dataclass(frozen=True)
class Articulation:
    """A tree of J joints on B = J + 1 bodies, body 0 the root; body j + 1 hangs on joint j.

    Not the model's `KinematicTree`: it holds numeric arrays in robot sizes, without names, for the
    solver's inner loop.

    Attributes:
        parents: (J,) body of each joint's parent, before the child in order.
        twists: (J, 6) unit screw axes at the reference configuration, where every value is 0.
        revolute: (J,) bool, else prismatic.
        anchors: (J, 3) points near the axes about which their directions turn.
    """

    parents: NDArray[np.int64]
    twists: Array
    revolute: NDArray[np.bool_]
    anchors: Array

    @property
    def ancestors(self) -> NDArray[np.bool_]:
        """(B, J) whether joint j moves body b."""
        result = np.zeros((len(self.parents) + 1, len(self.parents)), dtype=bool)
        for j, parent in enumerate(self.parents):
            result[j + 1] = result[parent]
            result[j + 1, j] = True
        return result


def body_poses(model: Articulation, values: Array, base: Array) -> Array:
    """Return the poses (..., B, 4, 4) of the bodies from the reference.

    Product of exponentials (Brockett, 1984).

    Args:
        model: the joints.
        values: (..., J) of the joints.
        base: (..., 4, 4) poses of the root.
    """
    motions = exp_se3(model.twists * values[..., None])
    poses = [base]
    for j, parent in enumerate(model.parents):
        poses.append(poses[parent] @ motions[..., j, :, :])
    return np.stack(poses, axis=-3)


def state_jacobian(model: Articulation, poses: Array) -> Array:
    """Return how bodies depend on the joint values and the base: (F, B, 6, J + 6).

    As left twists about the fixed frame's origin, the base by its own left twist.

    Args:
        model: the joints.
        poses: (F, B, 4, 4) of the bodies.
    """
    frames, joints = len(poses), len(model.parents)
    rate = np.einsum("fjab,jb->fja", adjoint(poses[:, model.parents]), model.twists)
    own = np.zeros((frames, joints + 1, 6, joints + 6))
    own[..., :joints] = np.swapaxes(rate, 1, 2)[:, None] * model.ancestors[:, None, :]
    own[..., joints:] = np.eye(6)
    return own


def jacobians(model: Articulation, values: Array, base: Array) -> tuple[Array, Array]:
    """Return how the bodies' poses depend on all unknowns.

    As left twists about the fixed frame's origin.

    Args:
        model: the joints.
        values: (F, J) of the joints.
        base: (F, 4, 4) poses of the root.

    Returns:
        (F, B, 6, J + 6) for the values and the base (`state_jacobian`), and (F, B, 6, 4 J) for the
        lines (`line_perturbations` of every joint).
    """
    frames, joints = values.shape
    poses = body_poses(model, values, base)
    before = adjoint(poses[:, model.parents])
    motions = adjoint(exp_se3(model.twists * values[..., None]))
    basis = line_perturbations(model.twists, model.anchors, model.revolute)
    line = before @ ((np.eye(6) - motions) @ basis)
    lines = line.transpose(0, 2, 1, 3)[:, None] * model.ancestors[:, None, :, None]
    return state_jacobian(model, poses), lines.reshape(frames, joints + 1, 6, 4 * joints)


def move_lines(model: Articulation, steps: Array) -> Articulation:
    """Return the model with its joints' lines moved by steps (J, 4) of `line_perturbations`.

    The anchors of revolute joints move with them: they stay on their axes.
    """
    basis = line_perturbations(model.twists, model.anchors, model.revolute)
    change = np.einsum("jab,jb->ja", basis, steps)
    twists = normalise(np.einsum("jab,jb->ja", adjoint(exp_se3(change)), model.twists))
    return replace(model, twists=twists, anchors=on_axes(twists, model.anchors, model.revolute))
