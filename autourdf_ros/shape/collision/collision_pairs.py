"""Pairs of links that a planner need not check for collisions, and why.

The reasons, and how they are found, are those of MoveIt's setup assistant (collisions_updater,
compute_default_collisions.cpp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.shape.collision.link_collisions import LinkCollisions

Reason = Literal["Adjacent", "Default", "Always", "Never"]

NEARLY_ALWAYS = 0.95
"""Share of configurations in which a pair must touch to count as always touching (MoveIt's)."""

SAMPLES = 10_000
"""Configurations in which a pair must not touch to count as never touching."""

FIRST = 1000
"""Configurations that show how often pairs touch."""

HIDING: dict[Reason, str] = {
    "Default": "their shapes touch where the robot is known to have stood free",
    "Always": "their shapes touch in nearly all configurations",
}
"""Why pairs are not checked that are no neighbours and may yet collide."""

HARMLESS: dict[Reason, str] = {
    "Adjacent": "a joint joins, or joints and links without a shape do",
    "Never": f"touch in none of {SAMPLES:,} configurations within the limits",
}
"""Why other pairs are not checked."""

_FEW = 3  # frames: in fewer the shapes may really have been as near as that


@dataclass(frozen=True)
class DisabledPair:
    """Two links that need no check, `link1` before `link2` in the alphabet.

    Attributes:
        reason: Adjacent: a joint joins them, or joints and links without a shape do. Default: they
            touch where the robot is known to have stood free. Always: they touch in nearly all
            configurations within the limits. Never: they touch in none.
    """

    link1: str
    link2: str
    reason: Reason


def collision_pairs(
    urdf: Path,
    reference: Mapping[str, float],
    samples: int = SAMPLES,
    seed: int = 0,
    recorded: Sequence[Mapping[str, float]] = (),
) -> tuple[DisabledPair, ...]:
    """Return the disabled pairs of a robot in alphabetical order; all others may collide.

    The same arguments give the same pairs.

    Args:
        reference: Joint values (rad or m) by name at which the robot is known to stand free; joints
            not named stand at 0, or the nearest limit.
        samples: Configurations drawn evenly within the limits, in which a pair must not have
            touched to be one that never does.
        recorded: More configurations in which the robot stood free.

    Raises:
        InputError: the URDF cannot be used, lacks a joint named, or `samples` is below 1.
    """
    if samples < 1:
        raise InputError(f"samples: is {samples}; accepted is at least 1")
    robot = LinkCollisions(urdf)
    stood = np.array([robot.configuration(values) for values in (reference, *recorded)])
    drawn = robot.sampled(samples, np.random.default_rng(seed))
    shares = robot.touching(drawn[:FIRST], ~robot.adjacent).mean(0)
    reasons = np.full(len(robot.pairs), "", dtype="<U8")
    reasons[default_pairs(robot, stood, shares)] = "Default"
    reasons[robot.adjacent] = "Adjacent"
    asked = reasons == ""
    never = asked & (shares == 0)
    never &= ~robot.touching(drawn[FIRST:], never).any(0)
    reasons[asked & (shares >= NEARLY_ALWAYS)] = "Always"
    reasons[never] = "Never"
    return tuple(
        DisabledPair(*pair, reason)
        for pair, reason in zip(robot.pairs, reasons.tolist(), strict=True)
        if reason
    )


def notes_on_pairs(pairs: Sequence[DisabledPair]) -> list[str]:
    """Return sentences on the pairs whose real collisions stay unseen, as in `HIDING`."""
    notes = []
    for reason, why in HIDING.items():
        chosen = [f"{pair.link1} and {pair.link2}" for pair in pairs if pair.reason == reason]
        if chosen:
            notes.append(
                f"collisions are not looked for between {', '.join(chosen)}, also real ones: {why} "
                f"({reason} in the SRDF)"
            )
    return notes


def default_pairs(
    robot: LinkCollisions, free: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return (P,) the pairs that touch where the robot is known to stand free, (F, J) values.

    In the first row, in most rows, or in at least `_FEW` and more than half as often as anywhere
    (shares: (P,) of configurations drawn): most of what such a pair would report is then false.
    Once or twice the shapes may really be as near as that, and a pair that is left out is no longer
    checked anywhere.
    """
    touching = robot.touching(free)
    often = touching.mean(0)
    mostly_false = (touching.sum(0) >= _FEW) & (often > shares / 2)
    default: NDArray[np.bool_] = touching[0] | (often > 0.5) | mostly_false
    return default
