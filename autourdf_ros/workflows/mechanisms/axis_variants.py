"""What a mechanism would be if one of its axes were off by a standard deviation.

Dynamics take axes as exact though the video shows them only so well. Each joint's covariance has
up to four independent directions: turns of the axis and shifts of its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.layers.kinematics import JointEstimate
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint

Array = NDArray[np.float64]


def axis_variants(model: SelfModel) -> Iterator[tuple[SelfModel, TreeJoint]]:
    """Yield models with one axis moved by a standard deviation, and the joint that was moved.

    Links, masses and reference poses stay where they are. A model without a kinematics layer has
    none.
    """
    estimates = {} if model.kinematics is None else model.kinematics.joints
    for number, joint in enumerate(model.tree.joints):
        estimate = estimates.get(joint.name)
        if joint.type == "fixed" or estimate is None:
            continue
        for moved in _moved(joint, estimate):
            joints = (*model.tree.joints[:number], moved, *model.tree.joints[number + 1 :])
            yield replace(model, tree=replace(model.tree, joints=joints)), moved


def _moved(joint: TreeJoint, estimate: JointEstimate) -> Iterator[TreeJoint]:
    """The joint, moved along each principal direction of its covariance."""
    known = np.flatnonzero(np.isfinite(np.diag(estimate.covariance)))
    variances, directions = np.linalg.eigh(estimate.covariance[np.ix_(known, known)])
    for variance, direction in zip(variances, directions.T, strict=True):
        if variance <= 0:
            continue
        parts = np.zeros(4)
        parts[known] = np.sqrt(variance) * direction
        turn, shift = parts[:2] @ estimate.across, parts[2:] @ estimate.across
        axis = joint.axis + np.cross(turn, joint.axis)
        yield replace(joint, axis=axis / np.linalg.norm(axis), point=joint.point + shift)
