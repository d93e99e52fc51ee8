"""Whether a reconstruction can be trusted, and every reason why it might not be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.description.robot_model import Joint
from autourdf_ros.kinematics.hypothesis import Hypothesis
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.reconstruction import LinkCost, Verdict
from autourdf_ros.kinematics.tracking import Motion
from autourdf_ros.recording.frame import Recording

LEAST_USED = 0.7  # share of the frames
LEAST_TURN = np.radians(10.0)
LEAST_SLIDE = 0.02  # robot sizes
LEAST_MARGIN = 3.0
LARGEST_AXIS_STD = np.radians(2.0)
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
    link_costs: Sequence[LinkCost],
) -> tuple[list[str], Verdict]:
    """Warnings, and the verdict: doubtful where there are any, else trusted.

    `failed` where most frames do not fit, or most moving links follow those held out badly.

    values: (F, J) joint values of the believed frames. idle_motors: motors that moved but turn no
    joint of the model. link_costs: of every link in the final model.
    """
    used = float(motion.used.mean())
    warnings = _frame_warnings(recording, motion)
    if hypothesis.segmentation.root_motion == "turns":
        warnings.append("no body stands still: the root turns, or the base was not seen")
    for j, joint in enumerate(joints):
        warnings += _joint_warnings(joint, np.ptp(values[:, j]), hypothesis, j)
        warnings += _link_warnings(joint.child, link_costs[j + 1])
    for name in idle_motors:
        warnings.append(f"motor {name!r} moved, but no joint of the model follows it")
    if have_readings:
        for joint in joints:
            if joint.estimate is not None and joint.estimate.motor is None:
                warnings.append(f"joint {joint.name!r} moved, but no motor explains it")
    unexplained = [cost.held_out >= LARGEST_COST for cost in link_costs[1:]]
    if used < 0.5 or np.mean(unexplained) > 0.5:
        return warnings, "failed"
    return warnings, "doubtful" if warnings else "trusted"


def _frame_warnings(recording: Recording, motion: Motion) -> list[str]:
    left_out = int((~motion.used).sum())
    if motion.used.mean() >= LEAST_USED:
        return []
    return [f"{left_out} of {len(recording.frames)} frames do not fit the model and were left out"]


def _link_warnings(name: str, cost: LinkCost) -> list[str]:
    held_out = "" if np.isnan(cost.held_out) else f", {cost.held_out:.1f} in frames held out"
    if not cost.fitted < LARGEST_COST:
        return [
            f"the points of link {name!r} follow the model badly "
            f"(mean cost {cost.fitted:.1f}{held_out}; accepted is less than {LARGEST_COST:g})"
        ]
    if cost.held_out >= LARGEST_COST:
        return [
            f"link {name!r} explains the frames that it was fitted to, but not those held out "
            f"(mean cost {cost.fitted:.1f}{held_out}; accepted is less than {LARGEST_COST:g})"
        ]
    return []


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
    if joint.estimate is not None and joint.estimate.axis_std > LARGEST_AXIS_STD:
        warnings.append(
            f"the axis of joint {joint.name!r} is known only to "
            f"{np.degrees(joint.estimate.axis_std):.1f} degrees"
        )
    return warnings
