"""Explanations in the words and units of a `Change`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.change import Change, ChangeKind, Quantity
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation
from autourdf_ros.monitoring.diagnosis.cause_refinement import farthest
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.diagnosis.unexplained_points import ForeignObject
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]
Alternatives = tuple[tuple[ChangeKind, str], ...]
"""(kind, subject) of other causes."""

_AXES = ["x", "y", "z"]


def quantities_of(
    cause: Cause, parameters: Array, covariance: Array, model: WatchedModel
) -> tuple[Quantity, ...]:
    """Return a cause's (K,) parameters by name, in SI units; of twists the turn first.

    Args:
        cause: The cause.
        parameters: (K,) rad, m or s.
        covariance: (K, K).
        model: The watched model.
    """
    if cause.kind == "joint_zero":
        motor = model.motors.index(cause.subject)
        turns = model.articulation.revolute[np.abs(model.gear[:, motor]).argmax()]
        names = [("offset", "rad" if turns else "m")]
    elif cause.kind == "joint_axis":
        names = [("axis turn 1", "rad"), ("axis turn 2", "rad")]
        names += [("line shift 1", "m"), ("line shift 2", "m")]
    elif cause.kind == "camera_latency":
        names = [("latency", "s")]
    elif cause.kind == "sag":
        names = [(f"turn by a force along {axis}", "rad") for axis in _AXES]
    else:
        names = [(f"turn {axis}", "rad") for axis in _AXES] + [(f"shift {a}", "m") for a in _AXES]
    return tuple(
        Quantity(name, float(value), float(std), unit)  # type: ignore[arg-type]
        for (name, unit), value, std in zip(
            names, parameters, np.sqrt(np.diag(covariance)), strict=True
        )
    )


def change_of(found: Explanation, model: WatchedModel) -> Change:
    """Return the change that an explanation describes."""
    cause = found.cause
    quantities = quantities_of(cause, found.parameters, found.covariance, model)
    others = found.alternatives
    text = _sentence(found, quantities) + _or_else(others)
    odds, unsteady = found.log_odds, found.unsteady
    return Change(cause.kind, cause.subject, quantities, odds, text, others, unsteady)


def suspicion_of(
    causes: Causes, found: Explanation, seen: Sequence[Comparison], least: float
) -> str:
    """Return where a change whose cause is not decided yet shows, as a sentence.

    Args:
        causes: All causes.
        found: The best explanation so far.
        seen: Some of the latest comparisons.
        least: Displacement (m) of the surface up to which there is no suspicion.
    """
    if farthest(causes, [one.observation for one in seen], found) <= least:
        return ""
    return f"something changed {_where(found.cause, causes.model)}: its cause is not decided yet"


def undecided(causes: Causes, found: Explanation) -> str:
    """Return where a change shows that no one cause explains, as a sentence."""
    return f"something changed {_where(found.cause, causes.model)}: no one cause explains it"


def undecided_beside(causes: Causes, found: Explanation) -> str:
    """Return where one of two changes shows whose cause is not decided, as a sentence."""
    where = _where(found.cause, causes.model)
    possible = (found.cause.named, *found.alternatives)
    named = " or ".join(f"{kind} {subject}" for kind, subject in possible)
    return f"something changed {where} as well: its cause is not decided ({named})"


def _where(cause: Cause, model: WatchedModel) -> str:
    subject = cause.subject
    if cause.kind in ("camera_pose", "camera_latency"):
        return f"in camera {subject}"
    if cause.kind == "base_pose":
        return "of the base, or in all cameras"
    if cause.kind == "joint_zero":
        subject = model.moved_by(subject)
    elif cause.kind == "joint_axis":
        subject = model.links[model.joints.index(subject) + 1]
    return f"near link {subject}"


def foreign_object_change(found: ForeignObject, model: WatchedModel) -> Change:
    """Return the change for a new object: an attachment, or an object that does not move."""
    middle, size = found.cells.mean(axis=0), np.ptp(found.cells, axis=0) + found.side
    quantities = tuple(
        Quantity(f"{what} {axis}", float(value), found.side, "m")
        for what, values in (("middle", middle), ("size", size))
        for axis, value in zip(_AXES, values, strict=True)
    )
    where = " x ".join(f"{100 * side:.0f}" for side in size)
    if found.body == 0:
        text = (
            f"{len(found.cells)} cells near the robot are filled that were empty: an object of "
            f"about {where} cm stands there"
        )
        return Change("object", "", quantities, found.log_odds, text)
    link = model.links[found.body]
    text = (
        f"{len(found.cells)} cells that move with {link} are filled that were empty: an object of "
        f"about {where} cm is attached to it"
    )
    others: Alternatives = tuple(("attachment", model.links[other]) for other in found.others)
    text += _or_else(others)
    return Change("attachment", link, quantities, found.log_odds, text, others)


def _or_else(others: Alternatives) -> str:
    if not others:
        return ""
    return "; explained about as well by: " + ", ".join(f"{kind} {one}" for kind, one in others)


def _sentence(found: Explanation, quantities: tuple[Quantity, ...]) -> str:
    turn = np.degrees(_norm(quantities, "rad"))
    shift = 1000 * _norm(quantities, "m")
    much = f"{turn:.2f} degrees" if turn else ""
    if shift and len(quantities) > 1:
        much += f" and {shift:.1f} mm"
    elif shift:
        much = f"{shift:.1f} mm"
    subject, late = found.cause.subject, 1000 * _norm(quantities, "s")
    return {
        "joint_zero": f"everything beyond joint {subject} is displaced by {much} about its axis at "
        "every joint value: its zero slipped",
        "joint_axis": f"everything beyond joint {subject} is displaced by an amount that depends "
        f"on its value: its axis is off by {much}",
        "link_shape": f"everything beyond a place of {subject} is displaced by {much} in its "
        "frame: the link is bent, has another length or is mounted differently",
        "camera_pose": f"all links are displaced by {much} in camera {subject} only"
        + (
            ", and not always alike: the camera is loose"
            if found.unsteady
            else ": the camera moved"
        ),
        "camera_latency": f"in camera {subject} only, links are displaced by their motion in "
        f"{late:.0f} ms: its clouds are older or younger than their stamps",
        "base_pose": f"all links are displaced by {much} in all cameras: the base moved",
        "sag": f"the joints that hold {subject} yield to a load on it, by {much} where it is as "
        "far away as they reach",
    }[found.cause.kind]


def _norm(quantities: tuple[Quantity, ...], unit: str) -> float:
    return float(np.linalg.norm([one.value for one in quantities if one.unit == unit]))
