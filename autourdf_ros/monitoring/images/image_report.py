"""What live colour images say of a robot, as it is reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autourdf_ros.monitoring.change import Change

LEARNING = "learning how the robot looks: nothing may be wrong"


@dataclass(frozen=True)
class ImageReport:
    """State after images were judged.

    Attributes:
        stamp: Of the newest image (s).
        text: A sentence of what they show.
        ratios: By link, its residual beside that of images in which nothing was wrong; without
            links that are not seen.
        wrong: Whether a link looks other than predicted, in successive judgements.
        joint: The joint whose zero is off or whose child is bent; empty where none is found.
        child: Its child.
    """

    stamp: float
    text: str = LEARNING
    ratios: Mapping[str, float] = field(default_factory=dict)
    wrong: bool = False
    joint: str = ""
    child: str = ""


def agreement(
    report: ImageReport | None, changes: Sequence[Change], motors: Mapping[str, str]
) -> str:
    """Return a sentence where clouds and images speak of the same joint; else nothing.

    Args:
        report: Of the images.
        changes: Reported by clouds.
        motors: Joint that each motor drives.
    """
    if report is None or not report.joint:
        return ""
    for change in changes:
        link = change.kind == "link_shape" and change.subject == report.child
        if link or motors.get(change.subject, change.subject) == report.joint:
            return f"clouds and images both name joint {report.joint} and what it moves"
    return ""
