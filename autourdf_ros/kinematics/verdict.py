"""Whether a reconstruction can be trusted, and every reason why it might not be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.description.robot_model import Confidence, Joint
from autourdf_ros.kinematics.hypothesis import Hypothesis
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.reconstruction import Verdict
from autourdf_ros.kinematics.tracking import Motion
from autourdf_ros.recording.frame import Recording

LEAST_USED = 0.7  # share of the frames
LEAST_TURN = np.radians(10.0)
LEAST_SLIDE = 0.02  # robot sizes
LEAST_MARGIN = 3.0
LARGEST_AXIS_STD = np.radians(2.0)
LEAST_PROBABILITY = 0.9  # that a joint exists, and of its type
LARGEST_COST = 3.0  # mean of a link's points, where 0.2 to 1 is usual and 2.5 happens


def judge(
    *,
    recording: Recording,
    hypothesis: Hypothesis,
    motion: Motion,
    values: Array,
    joints: Sequence[Joint],
    idle_motors: Sequence[str],
    have_readings: bool,
    link_costs: Array,
) -> tuple[list[str], Verdict]:
    """Warnings, and the verdict: `failed` where most frames do not fit, else doubtful or trusted.

    values: (F, J) joint values of the believed frames. idle_motors: motors that moved but turn no
    joint of the model. link_costs: (B,) mean cost (`point_costs`) of every link's points in the
    final model, NaN for a link that was left with none.
    """
    used = float(motion.used.mean())
    warnings = _frame_warnings(recording, motion)
    if hypothesis.segmentation.root_motion == "turns":
        warnings.append("no body stands still: the root turns, or the base was not seen")
    for j, joint in enumerate(joints):
        warnings += _joint_warnings(joint, np.ptp(values[:, j]), hypothesis, j)
        if not link_costs[j + 1] < LARGEST_COST:
            warnings.append(
                f"the points of link {joint.child!r} follow the model badly "
                f"(mean cost {link_costs[j + 1]:.1f}; accepted is less than {LARGEST_COST:g})"
            )
    for name in idle_motors:
        warnings.append(f"motor {name!r} moved, but no joint of the model follows it")
    if have_readings:
        for joint in joints:
            if joint.estimate is not None and joint.estimate.motor is None:
                warnings.append(f"joint {joint.name!r} moved, but no motor explains it")
    if used < 0.5:
        return warnings, "failed"
    return warnings, "doubtful" if warnings else "trusted"


def _frame_warnings(recording: Recording, motion: Motion) -> list[str]:
    left_out = int((~motion.used).sum())
    if motion.used.mean() >= LEAST_USED:
        return []
    return [f"{left_out} of {len(recording.frames)} frames do not fit the model and were left out"]


def _joint_warnings(joint: Joint, travel: float, hypothesis: Hypothesis, index: int) -> list[str]:
    warnings = []
    margin = float(hypothesis.tree.margins[index])
    if joint.type == "revolute" and travel < LEAST_TURN:
        warnings.append(f"joint {joint.name!r} turned by only {np.degrees(travel):.1f} degrees")
    if margin < LEAST_MARGIN:
        warnings.append(
            f"joint {joint.name!r} might hang on another link: the second-best tree is only "
            f"{margin:.1f} times worse"
        )
    if joint.estimate is not None:
        warnings += _doubts(joint, joint.estimate.confidence)
    if joint.estimate is not None and joint.estimate.axis_std > LARGEST_AXIS_STD:
        warnings.append(
            f"the axis of joint {joint.name!r} is known only to "
            f"{np.degrees(joint.estimate.axis_std):.1f} degrees"
        )
    return warnings


def _doubts(joint: Joint, confidence: Confidence) -> list[str]:
    if confidence.exists < LEAST_PROBABILITY:
        return [
            f"joint {joint.name!r} may not exist: its links moved against each other hardly more "
            f"than the noise (probability that it does {confidence.exists:.2f})"
        ]
    if confidence.type < LEAST_PROBABILITY:
        other = "slides" if joint.type == "revolute" else "turns"
        return [
            f"joint {joint.name!r} may be one that {other}, which fits its motion about as well "
            f"(probability that it is {joint.type} {confidence.type:.2f})"
        ]
    return []
