"""Let a joint slide where the search took a straight line for a circle about a far axis.

An axis that is far away fits a straight line about as well as the line does, by two more
parameters, whatever the tracks' noise is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.trimming import with_margins
from autourdf_ros.estimation.motion.structure.scoring.rearranging import JointChange, with_joint
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import PosedState
from autourdf_ros.estimation.motion.structure.scoring.unfounded_joints import (
    IMPROBABLE,
    UNMOVED_TURN,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, transform


def with_sliding_joint(
    problem: Problem, candidate: CandidateModel, motion: Motion, revolute: Array
) -> tuple[CandidateModel, Motion] | None:
    """Make one joint prismatic that hardly turns and is improbable as a revolute one.

    Args:
        problem: the recording and what is known of it.
        candidate: J joints.
        motion: of the candidate in all frames.
        revolute: (J,) probabilities that the joints turn rather than slide (`JointEvidence`).

    Returns:
        The candidate and its motion with another type, or None where every type is probable.
    """
    model = candidate.model
    turns = np.ptp(motion.states.values[motion.used], axis=0)
    wrong = model.revolute & (turns < UNMOVED_TURN) & (revolute < IMPROBABLE)
    wrong &= ~candidate.follow_motors & np.isin(np.arange(1, len(turns) + 1), candidate.labels)
    if not wrong.any():
        return None
    joint = int(np.flatnonzero(wrong)[revolute[wrong].argmin()])
    direction, values = _slide(problem, candidate, motion, joint)
    twist = np.concatenate([np.zeros(3), direction])
    change = JointChange(joint, int(model.parents[joint]), False, twist, values)
    slid = with_joint(problem.reference, PosedState(candidate, motion.states), change)
    moved = replace(motion, states=slid.states)
    return with_margins(problem, slid.candidate, moved), moved


def _slide(
    problem: Problem, candidate: CandidateModel, motion: Motion, joint: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Direction (3,) at the reference, and values (F,), of the line that a link's middle follows.

    The direction is the first principal one of the middle's positions in the parent, in the inlier
    frames.
    """
    states, parent = motion.states, candidate.model.parents[joint]
    poses = body_poses(candidate.model, states.values, states.base)
    middle = problem.reference.points[candidate.labels == joint + 1].mean(axis=0)
    relative = inverse(poses[:, parent]) @ poses[:, joint + 1]
    track = transform(relative, middle) - middle
    seen = track[motion.used]
    direction = np.linalg.svd(seen - seen.mean(axis=0), full_matrices=False)[2][0]
    return direction, track @ direction
