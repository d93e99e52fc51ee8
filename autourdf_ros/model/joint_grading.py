"""How far each joint of a reconstruction is to be trusted: one answer for report, viewer and RViz.

Judges the entries of reconstruction.json, so that an earlier result is judged like a new one.
A joint is `doubtful` for what makes the whole verdict doubtful (`kinematics.verdict` uses these
thresholds), `fair` where it comes half as near to that, and `good` otherwise. That it leaps from
frame to frame is no part of the document, and in the verdict alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from autourdf_ros.model.result_files import ASSEMBLY

Grade = Literal["good", "fair", "doubtful"]

LEAST_TURN = math.radians(10.0)  # that a revolute joint was seen to make
LEAST_MARGIN = 3.0  # times by which the second-best parent fits worse
LARGEST_AXIS_STD = math.radians(2.0)
LEAST_PROBABILITY = 0.9  # that a joint exists, and of its type
LARGEST_COST = 3.0  # mean of a link's points, where 0.2 to 1 is typical and 2.5 happens

_LEAST_PARENT = 1 - 1 / (1 + LEAST_MARGIN)  # as `joint_building.confidences_of` has it of margins


@dataclass(frozen=True)
class Judgement:
    """A grade, and in a few words each what keeps it from being better; good has no reasons."""

    grade: Grade
    reasons: tuple[str, ...] = ()


def judge_joints(document: Mapping[str, Any]) -> dict[str, Judgement]:
    """Judge every joint by name, from the content of reconstruction.json.

    Beyond what each joint says of itself: the axes that may be off together, how well the points
    of its child follow it, and motors. That one of a closed chain may hang elsewhere is no doubt.
    A joint between given parts is judged by its alternatives.
    """
    if document.get(ASSEMBLY) is not None:
        return _judge_assembled(document)
    closed = {name for loop in document.get("loops", ()) for name in loop["joints"]}
    weak = {name for way in document.get("weak_directions", ()) for name in way["joints"]}
    links = {link["name"]: link for link in document["links"]}
    parents = {joint["parent"] for joint in document["joints"]}
    patched = {patch["link"] for patch in document.get("unexplained_patches", ())}
    driven = any(joint.get("motor") for joint in document["joints"])
    result = {}
    for joint in document["joints"]:
        doubts = _own_doubts(joint, closed=joint["name"] in closed)
        if joint["name"] in weak:
            doubts.append(("doubtful", "its axis may be off together with others"))
        doubts += _link_doubts(links[joint["child"]], last=joint["child"] not in parents)
        if joint["child"] in patched:
            doubts.append(("doubtful", f"points of {joint['child']} move otherwise"))
        if driven and "motor" in joint and joint["motor"] is None:
            doubts.append(("doubtful", "no motor explains it"))
        result[joint["name"]] = Judgement(
            _worst(doubts), tuple(text for _, text in sorted(doubts, key=lambda d: d[0]))
        )
    return result


_Doubt = tuple[Grade, str]


def _judge_assembled(document: Mapping[str, Any]) -> dict[str, Judgement]:
    """Judge joints that were found between parts which stand still."""
    ranked = {one["joint"]: one for one in document[ASSEMBLY]["joints"]}
    result = {}
    for joint in document["joints"]:
        own = ranked.get(joint["name"])
        doubts: list[_Doubt] = []
        if own is not None:
            doubts += [("doubtful", text) for text in own["warnings"]]
            if own["ambiguous"]:
                doubts.append(("doubtful", f"ambiguous: {len(own['alternatives'])} alternatives"))
            for known, meaning in (
                (own["edge_probability"], "of its parent"),
                (own["alternatives"][0]["probability"], "of its type and axis"),
            ):
                if known is not None:
                    text = f"{100 * known:.0f}% sure {meaning}"
                    least = LEAST_PROBABILITY
                    doubts += _graded(known < least, known < (1 + least) / 2, text)
        result[joint["name"]] = Judgement(_worst(doubts), tuple(text for _, text in doubts))
    return result


def _worst(doubts: list[_Doubt]) -> Grade:
    grades = {doubt[0] for doubt in doubts}
    return "doubtful" if "doubtful" in grades else "fair" if grades else "good"


def _own_doubts(joint: Mapping[str, Any], *, closed: bool) -> list[_Doubt]:
    if joint["type"] == "fixed" or "probabilities" not in joint:
        return []
    doubts = _travel_doubts(joint)
    deviation = joint["axis_std"]
    if deviation is None:
        doubts.append(("doubtful", "its axis is unknown"))
    else:
        text = f"axis known to {math.degrees(deviation):.1f}°"
        doubts += _graded(deviation > LARGEST_AXIS_STD, deviation > LARGEST_AXIS_STD / 2, text)
    sure = joint["probabilities"]
    for what, least, meaning in (
        ("exists", LEAST_PROBABILITY, "that it exists"),
        ("type", LEAST_PROBABILITY, f"that it is {joint['type']}"),
        ("parent", _LEAST_PARENT, "of its parent"),
    ):
        if what == "parent" and closed:
            continue
        known = sure[what]
        text = f"{100 * known:.0f}% sure {meaning}"
        doubts += _graded(known < least, known < (1 + least) / 2, text)
    return doubts


def _travel_doubts(joint: Mapping[str, Any]) -> list[_Doubt]:
    lower, upper = joint["observed"]
    if lower is None or upper is None:
        return [("doubtful", "never seen to move")]
    if joint["type"] != "revolute":
        return []
    turn = upper - lower
    text = f"turned by only {math.degrees(turn):.1f}°"
    return _graded(turn < LEAST_TURN, turn < 2 * LEAST_TURN, text)


def _link_doubts(link: Mapping[str, Any], *, last: bool) -> list[_Doubt]:
    cost = max(link.get(name) or 0.0 for name in ("cost", "held_out_cost"))
    if link.get("cost") is None:
        return [("doubtful", f"no point follows {link['name']}")] if last else []
    text = f"points of {link['name']} follow badly (cost {cost:.1f})"
    return [("doubtful", text)] if cost >= LARGEST_COST else []


def _graded(doubtful: bool, fair: bool, text: str) -> list[_Doubt]:
    if doubtful:
        return [("doubtful", text)]
    return [("fair", text)] if fair else []
