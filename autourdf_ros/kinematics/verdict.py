"""Whether a reconstruction can be trusted, and every reason why it might not be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.description.joint_grading import (
    LARGEST_AXIS_STD,
    LARGEST_COST,
    LEAST_MARGIN,
    LEAST_PROBABILITY,
    LEAST_TURN,
)
from autourdf_ros.description.robot_model import Confidence, Joint
from autourdf_ros.kinematics.foreign import ForeignPoints
from autourdf_ros.kinematics.hypothesis import Hypothesis
from autourdf_ros.kinematics.matching import Array
from autourdf_ros.kinematics.reconstruction import (
    BaseMotion,
    LinkCost,
    Loop,
    UnexplainedPatch,
    Verdict,
    WeakDirection,
)
from autourdf_ros.kinematics.root_body import RootMotion
from autourdf_ros.kinematics.tracking import Motion
from autourdf_ros.recording.frame import Recording

LEAST_USED = 0.7  # share of the frames
LEAST_BESIDE = 0.1  # share of a base's motion, squared, that no single joint explains
LARGEST_OFF = np.radians(20.0)  # rms by which whole frames may be off
LARGEST_NOISE = 0.0025
"""Robot sizes, of a point along its normal. Three of three robots came out wrong at 0.0030 to
0.0039, two of them explained as well as right ones (`autourdf benchmark --suite hard`, 4 mm of
noise); a hand with all of its 16 joints had 0.0024."""


def judge(
    *,
    recording: Recording,
    hypothesis: Hypothesis,
    motion: Motion,
    values: Array,
    joints: Sequence[Joint],
    weak: Sequence[WeakDirection],
    base: BaseMotion,
    loops: Sequence[Loop],
    idle_motors: Sequence[str],
    have_readings: bool,
    link_costs: Sequence[LinkCost],
    patches: Sequence[UnexplainedPatch],
    foreign: ForeignPoints | None,
    places: Sequence[Sequence[int]],
    noise: float,
) -> tuple[list[str], Verdict]:
    """Warnings, and the verdict: doubtful where there are any, else trusted.

    `failed` where most frames do not fit, or most moving links follow those held out badly.

    values: (F, J) joint values of the believed frames. weak: what they hardly tell of the axes.
    base: how the root moved. loops: of the tree; that a joint of one may hang elsewhere is no
    doubt. idle_motors: motors that moved but turn no joint of the model. link_costs: of every link
    in the final model. patches: that no link explains. foreign: points far from all links. places:
    numbers of the links that move, by where they stand apart. noise: of a point along its normal,
    in robot sizes.
    """
    used = float(motion.used.mean())
    warnings = _frame_warnings(recording, motion)
    warnings += _base_warnings(hypothesis.segmentation.root_motion, base)
    for j, joint in enumerate(joints):
        closed = any(joint.name in loop.joints for loop in loops)
        margin = np.inf if closed else float(hypothesis.tree.margins[j])
        warnings += _joint_warnings(joint, np.ptp(values[:, j]), margin)
        if not any(joint.name in direction.joints for direction in weak):
            warnings += _axis_warnings(joint)
        last = joint.child not in {other.parent for other in joints}
        warnings += _link_warnings(joint.child, link_costs[j + 1], last)
    # The largest of those that the same joints take part in.
    largest = {direction.joints: direction for direction in reversed(weak)}
    warnings += [_weakness(direction) for direction in reversed(largest.values())]
    warnings += [
        f"{patch.points} points beside each other on link {patch.link!r} move otherwise (mean cost "
        f"{patch.cost:.1f}): a link may be missing there"
        for patch in patches
    ]
    warnings += _foreign_warnings(recording, foreign, joints, places)
    if noise > LARGEST_NOISE:
        warnings.append(
            f"the points' noise is {noise:.2%} of the robot's size (accepted is up to "
            f"{LARGEST_NOISE:.2%}): a small link, or one that turns about its own axis, may be "
            "missing, and the rest would fit as well"
        )
    for name in idle_motors:
        warnings.append(
            f"motor {name!r} moved, but no joint of the model follows it: what it moves was "
            "not seen, or is round, or was taken for part of another link"
        )
    if have_readings:
        for joint in joints:
            if joint.estimate is not None and joint.estimate.motor is None:
                warnings.append(f"joint {joint.name!r} moved, but no motor explains it")
    failing = [cost.held_out >= LARGEST_COST for cost in link_costs[1:]]
    if used < 0.5 or np.mean(failing) > 0.5:
        return warnings, "failed"
    return warnings, "doubtful" if warnings else "trusted"


def with_doubts(verdict: Verdict, doubts: Sequence[str]) -> Verdict:
    """The verdict once all that bears on it is known.

    Args:
        verdict: of `judge`.
        doubts: what was found since, by checks of the description that was made of the model.

    Returns:
        `doubtful` in place of `trusted` where there are doubts.
    """
    return "doubtful" if doubts and verdict == "trusted" else verdict


def _frame_warnings(recording: Recording, motion: Motion) -> list[str]:
    left_out = int((~motion.used).sum())
    if motion.used.mean() >= LEAST_USED:
        return []
    return [f"{left_out} of {len(recording.frames)} frames do not fit the model and were left out"]


def _foreign_warnings(
    recording: Recording,
    foreign: ForeignPoints | None,
    joints: Sequence[Joint],
    places: Sequence[Sequence[int]],
) -> list[str]:
    warnings = []
    if foreign is not None:
        names = recording.frame_names
        told = ", ".join(names[i] for i in foreign.frames[:5])
        more = f" and {len(foreign.frames) - 5} more" if len(foreign.frames) > 5 else ""
        warnings.append(
            f"up to {foreign.share:.0%} of the points of frames {told}{more} are far from all "
            "links: something else was in sight, as a person, a cable or what the robot held, or a "
            "link was not seen in the first frame"
        )
    if len(places) > 1:
        groups = "; ".join(
            ", ".join(repr(joints[link - 1].child) for link in place) for place in places
        )
        warnings.append(
            f"what moves stands in {len(places)} places apart from each other ({groups}): another "
            "robot or a person was in sight, or what joins them was not seen"
        )
    return warnings


def _base_warnings(moves: RootMotion, base: BaseMotion) -> list[str]:
    """Where a base that moves may as well be a link of which the base was not seen."""
    if base.beside is None:
        few = ["no link stands still, and too few frames tell whether the base floats"]
        return few if moves == "turns" else []
    if base.beside < LEAST_BESIDE:
        return [
            f"the root link moved by {100 * (1 - base.beside):.0f}% as one joint would move it: "
            "what it hangs on may not have been seen"
        ]
    if base.kind == "shifting frames" and base.turn > LARGEST_OFF:
        return [
            f"the root link turns by {np.degrees(base.turn):.0f} degrees, in every frame by "
            "another turn: what it hangs on may not have been seen"
        ]
    return []


def _link_warnings(name: str, cost: LinkCost, last: bool) -> list[str]:
    """A link without points, whose costs are NaN, is known from what it carries, if anything."""
    if np.isnan(cost.fitted):
        return [f"no point follows link {name!r}, the last of its branch"] if last else []
    held_out = "" if np.isnan(cost.held_out) else f", {cost.held_out:.1f} in frames held out"
    if cost.fitted >= LARGEST_COST:
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


def _joint_warnings(joint: Joint, travel: float, margin: float) -> list[str]:
    warnings = []
    if joint.type == "revolute" and travel < LEAST_TURN:
        warnings.append(f"joint {joint.name!r} turned by only {np.degrees(travel):.1f} degrees")
    if margin < LEAST_MARGIN:
        warnings.append(
            f"joint {joint.name!r} might hang on another link: the second-best tree is only "
            f"{margin:.1f} times worse"
        )
    if joint.estimate is not None:
        warnings += _doubts(joint, joint.estimate.confidence)
    return warnings


def _axis_warnings(joint: Joint) -> list[str]:
    if joint.estimate is None or joint.estimate.axis_std <= LARGEST_AXIS_STD:
        return []
    return [
        f"the axis of joint {joint.name!r} is known only to "
        f"{np.degrees(joint.estimate.axis_std):.1f} degrees"
    ]


def _weakness(direction: WeakDirection) -> str:
    """That several axes may be off together, by how much each."""
    changes = []
    for turn, shift in zip(direction.turns, direction.shifts, strict=True):
        parts = [f"turn by {np.degrees(turn):.1f} degrees"] if turn > 0 else []
        parts += [f"shift by {1e3 * shift:.1f} mm"] if shift > 0 else []
        changes.append(" and ".join(parts))
    first, *others = direction.joints
    text = f"the axis of joint {first!r} can {changes[0]}"
    for name, change in zip(others, changes[1:], strict=True):
        text += f", with it that of joint {name!r} {change}"
    return f"{text}, and the frames would hardly look different"


def _doubts(joint: Joint, confidence: Confidence) -> list[str]:
    if confidence.exists < LEAST_PROBABILITY:
        return [
            f"joint {joint.name!r} may not exist: its links moved against each other hardly more "
            "than the noise, or to where other links explain all that is seen "
            f"(probability that it does {confidence.exists:.2f})"
        ]
    if confidence.type < LEAST_PROBABILITY:
        other = "slides" if joint.type == "revolute" else "turns"
        return [
            f"joint {joint.name!r} may be one that {other}, which fits its motion about as well "
            f"(probability that it is {joint.type} {confidence.type:.2f})"
        ]
    return []
