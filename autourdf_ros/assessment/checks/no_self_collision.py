"""Check that the robot does not collide with itself in the recorded configurations."""

from __future__ import annotations

from autourdf_ros.assessment.checks.disabled_pairs import disabled_pairs
from autourdf_ros.assessment.checks.finding import Finding, concluded, skipped
from autourdf_ros.assessment.checks.penetration import Penetration
from autourdf_ros.assessment.checks.subject import Subject

SELF_COLLISION = "no self-collision"

TOLERANCE = 0.005
"""Accepted overlap (m): collision shapes are a little larger than the links."""


def check_self_collision(subject: Subject) -> tuple[Finding, ...]:
    """Check that collision shapes overlap by at most `TOLERANCE` in every recorded configuration.

    Pairs of links that need no check (neighbours, pairs that always touch, and the pairs of an
    SRDF beside the URDF) are excluded.
    """
    if subject.recorded is None or not len(subject.recorded.values):
        return skipped(SELF_COLLISION, "needs a result folder: no configuration was recorded")
    if not any(shape.role == "collision" for _, shape in subject.robot.shapes):
        return skipped(SELF_COLLISION, "there is no collision shape")
    penetration = Penetration(subject, disabled_pairs(subject))
    deepest: dict[tuple[str, str], float] = {}
    frames: dict[tuple[str, str], int] = {}
    total = len(subject.recorded.values)
    for index in range(total):
        touching: dict[tuple[str, str], float] = {}
        for one, two, depth in penetration.depths(subject.recorded.frame(index)):
            touching[one, two] = max(depth, touching.get((one, two), 0.0))
        for pair, depth in touching.items():
            if depth > TOLERANCE:
                frames[pair] = frames.get(pair, 0) + 1
                deepest[pair] = max(depth, deepest.get(pair, 0.0))
    failures = [
        f"links '{one}' and '{two}' overlap by up to {1e3 * deepest[one, two]:.1f} mm in "
        f"{count} of {total} recorded configurations; accepted are {1e3 * TOLERANCE:g} mm"
        for (one, two), count in sorted(frames.items())
    ]
    return concluded(
        SELF_COLLISION, failures, f"{penetration.pairs} pairs of links in {total} configurations"
    )
