"""Prefer the pose that a joint predicts where it explains a frame as well as a free pose does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.joint_weighing import (
    LEAST_FRAMES,
    between,
    weigh_alternatives,
)
from autourdf_ros.estimation.parts.confirmation.tracking.observed_frame import ObservedFrame
from autourdf_ros.estimation.parts.confirmation.tracking.pose_refinement import TrackedParts
from autourdf_ros.estimation.parts.confirmation.tracking.pose_scoring import agreement
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import (
    Searched,
    explained_share,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import exp_se3

AS_WELL = 0.03
"""Agreement of a part, of at most 1, that counts as no difference."""
LOST = 0.1
"""Share of a part's own points that may be explained less."""


def reconciled(
    joints: Sequence[EdgeJoint],
    parts: TrackedParts,
    observed: Sequence[ObservedFrame],
    task: Searched,
    options: ConfirmationOptions,
) -> Array:
    """Return the poses (F, P, 4, 4), some moved to where the best alternative predicts them.

    A flat part that hardly shows how it stands within its plane drifts there when it moves freely.

    Args:
        joints: Of the tree.
        parts: All parts in all frames.
        observed: The frames.
        task: What the search knows.
        options: Constants.
    """
    poses = parts.bodies.poses.copy()
    for joint in joints:
        relative = between(parts, joint.parent, joint.child, options)
        if len(relative.frames) < LEAST_FRAMES:
            continue
        size = task.sizes[joint.child]
        weighed = weigh_alternatives(joint, relative, size, parts.noise, options)
        fit = weighed.fits[weighed.best]
        for place, frame in enumerate(relative.frames):
            predicted = poses[frame, joint.parent] @ exp_se3(fit.twist * fit.values[place])
            if _as_well(observed[frame], poses[frame], joint.child, predicted, task):
                poses[frame, joint.child] = predicted
    return poses


def _as_well(
    frame: ObservedFrame, poses: Array, part: int, predicted: Array, task: Searched
) -> bool:
    """Whether a part explains a frame at the predicted pose as well as at its present one."""
    width = task.options.coarse * task.size / 4
    both = np.array([poses[part], predicted])
    present, other = agreement(frame, both, task.samples[part], width)
    if other < present - AS_WELL:
        return False
    moved = poses.copy()
    moved[part] = predicted
    everything = range(len(poses))
    lost = explained_share(frame, task, poses, everything) - explained_share(
        frame, task, moved, everything
    )
    share = task.areas[part] / task.areas.sum()
    return bool(lost <= LOST * share)
