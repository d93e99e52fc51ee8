"""Judge whether a reconstruction can be trusted, with every reason why it might not be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autourdf_ros.estimation.motion.reconstruction import (
    BaseMotion,
    LinkCost,
    Verdict,
    WeakDirection,
)
from autourdf_ros.estimation.motion.segmentation.root_body import RootMotion
from autourdf_ros.estimation.motion.uncertainty.findings import (
    FrameFindings,
    JointFindings,
    LinkFindings,
    MotorFindings,
)
from autourdf_ros.model.joint_grading import (
    LARGEST_AXIS_STD,
    LARGEST_COST,
    LEAST_MARGIN,
    LEAST_PROBABILITY,
    LEAST_TURN,
)
from autourdf_ros.model.self_model import Joint

LEAST_USED = 0.7  # share of the frames
LEAST_BESIDE = 0.1  # share of a base's motion, squared, that no single joint explains
LARGEST_OFF = np.radians(20.0)  # rms by which whole frames may be off
OVERFITTED = 1.3  # times the cost in fitted frames: of held-out ones, by a link that is wrong
LARGEST_NOISE = 0.0025
"""Robot sizes, of a point along its normal. Three of three robots came out wrong at 0.0030 to
0.0039, two of them explained as well as right ones (`autourdf benchmark --suite hard`, 4 mm of
noise); a hand with all of its 16 joints had 0.0024."""


class Judgement(NamedTuple):
    """What a reconstruction is worth.

    Attributes:
        warnings: each a sentence for the user.
        verdict: sums them up.
        structure_doubted: whether one of them doubts links or joints, not only how well they are
            known.
    """

    warnings: list[str]
    verdict: Verdict
    structure_doubted: bool


def judge(
    frames: FrameFindings,
    root_motion: RootMotion,
    base: BaseMotion,
    joints: JointFindings,
    links: LinkFindings,
    motors: MotorFindings,
) -> Judgement:
    """Judge a reconstruction.

    Args:
        frames: what the frames show.
        root_motion: how the root moves.
        base: the base's motion by it.
        joints: what is known of the joints.
        links: how well the links explain their points.
        motors: how motors and joints match.

    Returns:
        The verdict is `failed` where most frames do not fit, or most moving links explain held-out
        frames badly; else `doubtful` where there are warnings, and `trusted` without any.
    """
    of_structure = [
        *_frame_warnings(frames),
        *_model_warnings(joints, links),
        *_motor_warnings(motors, joints.joints),
    ]
    warnings = [
        *of_structure,
        *_knowledge_warnings(joints),
        *_hidden_warnings(links),
        *_base_warnings(root_motion, base),
        *_foreign_warnings(frames, joints.joints),
        *_noise_warnings(frames.noise),
    ]
    failing = [cost.held_out >= LARGEST_COST for cost in links.costs[1:]]
    verdict: Verdict = "doubtful" if warnings else "trusted"
    if frames.used.mean() < 0.5 or np.mean(failing) > 0.5:
        verdict = "failed"
    return Judgement(warnings, verdict, bool(of_structure) or verdict == "failed")


def _knowledge_warnings(findings: JointFindings) -> list[str]:
    """Of types and of axes that are not well known, axes alone or together."""
    weak = {name for direction in findings.weak for name in direction.joints}
    warnings = [text for joint in findings.joints for text in _type_warnings(joint)]
    warnings += [
        text
        for joint in findings.joints
        if joint.name not in weak
        for text in _axis_warnings(joint)
    ]
    # The largest of those that the same joints take part in.
    largest = {direction.joints: direction for direction in reversed(findings.weak)}
    return warnings + [_weakness(direction) for direction in reversed(largest.values())]


def _hidden_warnings(findings: LinkFindings) -> list[str]:
    """Of ends that may be links; another search of the same frames knows no more."""
    return [
        f"the end of link {name!r} ({points} points) looks alike however it turns about its own "
        "axis: a joint may be missing there, which only readings of its motor show"
        for name, points in findings.hidden
    ]


def _model_warnings(findings: JointFindings, links: LinkFindings) -> list[str]:
    """Of every joint and its child, and of patches."""
    warnings: list[str] = []
    joints = findings.joints
    for j, joint in enumerate(joints):
        closed = any(joint.name in loop.joints for loop in findings.loops)
        margin = np.inf if closed else float(findings.margins[j])
        warnings += _joint_warnings(joint, float(findings.travels[j]), margin)
        if j < len(findings.leaps) and findings.leaps[j] > 0:
            warnings += _leap_warnings(joint, float(findings.leaps[j]))
        last = joint.child not in {other.parent for other in joints}
        warnings += _link_warnings(joint.child, links.costs[j + 1], last)
    warnings += [
        f"{patch.points} points beside each other on link {patch.link!r} move otherwise (mean cost "
        f"{patch.cost:.1f}): a link may be missing there"
        for patch in links.patches
    ]
    warnings += [
        f"some frames look as if {change}, but not from each frame to the next: a joint may be "
        "missing there"
        for change in links.suspected
    ]
    return warnings


def _noise_warnings(noise: float) -> list[str]:
    if not noise > LARGEST_NOISE:
        return []
    return [
        f"the points' noise is {noise:.2%} of the robot's size (accepted is up to "
        f"{LARGEST_NOISE:.2%}): a small link, or one that turns about its own axis, may be "
        "missing, and the rest would fit as well"
    ]


def _motor_warnings(motors: MotorFindings, joints: Sequence[Joint]) -> list[str]:
    warnings = [
        f"motor {name!r} moved, but no joint of the model follows it: what it moves was "
        "not seen, or is round, or was taken for part of another link"
        for name in motors.unmatched
    ]
    if motors.matched:
        warnings += [
            f"joint {joint.name!r} moved, but no motor explains it"
            for joint in joints
            if joint.estimate is not None and joint.estimate.motor is None
        ]
    return warnings


def _frame_warnings(frames: FrameFindings) -> list[str]:
    left_out = int((~frames.used).sum())
    if frames.used.mean() >= LEAST_USED:
        return []
    return [f"{left_out} of {len(frames.names)} frames do not fit the model and were left out"]


def _foreign_warnings(frames: FrameFindings, joints: Sequence[Joint]) -> list[str]:
    warnings = []
    foreign, places = frames.foreign, frames.places
    if foreign is not None:
        named = ", ".join(frames.names[i] for i in foreign.frames[:5])
        more = f" and {len(foreign.frames) - 5} more" if len(foreign.frames) > 5 else ""
        warnings.append(
            f"up to {foreign.share:.0%} of the points of frames {named}{more} are far from all "
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
        few = ["no link stands still, and too few frames show whether the base floats"]
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
    """A link without points, whose costs are NaN, is known from what hangs on it, if anything."""
    if np.isnan(cost.fitted):
        return [f"no point follows link {name!r}, the last of its branch"] if last else []
    held_out = "" if np.isnan(cost.held_out) else f", {cost.held_out:.1f} in frames held out"
    if cost.fitted >= LARGEST_COST:
        return [
            f"the points of link {name!r} follow the model badly "
            f"(mean cost {cost.fitted:.1f}{held_out}; accepted is less than {LARGEST_COST:g})"
        ]
    most = max(LARGEST_COST, OVERFITTED * cost.fitted)
    if cost.held_out >= most:
        return [
            f"link {name!r} explains the frames that it was fitted to, but not those held out "
            f"(mean cost {cost.fitted:.1f}{held_out}; accepted is less than {most:.1f})"
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
    if joint.estimate is not None and joint.estimate.confidence.exists < LEAST_PROBABILITY:
        warnings.append(
            f"joint {joint.name!r} may not exist: its links moved against each other hardly more "
            "than the noise, or to where other links explain all that is seen "
            f"(probability that it does {joint.estimate.confidence.exists:.2f})"
        )
    return warnings


def _leap_warnings(joint: Joint, leap: float) -> list[str]:
    if joint.estimate is not None and joint.estimate.motor is not None:
        return []  # readings state where it is
    return [
        f"joint {joint.name!r} turns by {np.degrees(leap):.0f} degrees from one frame to the next, "
        "much farther than others: its link was lost there, or looks alike at several angles"
    ]


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


def _type_warnings(joint: Joint) -> list[str]:
    """Of a type that is hardly known: another search of the same frames knows no more of it."""
    if joint.estimate is None:
        return []
    confidence = joint.estimate.confidence
    if confidence.exists < LEAST_PROBABILITY or confidence.type >= LEAST_PROBABILITY:
        return []
    other = "slides" if joint.type == "revolute" else "turns"
    return [
        f"joint {joint.name!r} may be one that {other}, which fits its motion about as well "
        f"(probability that it is {joint.type} {confidence.type:.2f})"
    ]
