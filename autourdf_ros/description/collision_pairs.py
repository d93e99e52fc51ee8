"""Pairs of links that a planner need not check for collisions, and why.

The reasons, and how they are found, are those of MoveIt's setup assistant (collisions_updater,
compute_default_collisions.cpp).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.description.link_collisions import LinkCollisions

Reason = Literal["Adjacent", "Default", "Always", "Never"]

NEARLY_ALWAYS = 0.95
"""Share of configurations in which a pair must touch to count as always touching (MoveIt's)."""

_FIRST = 1000  # configurations that tell which pairs always touch


@dataclass(frozen=True)
class DisabledPair:
    """Two links that need no check, `link1` before `link2` in the alphabet.

    reason: Adjacent: a joint joins them, or joints and links without a shape do. Default: they
    touch at the reference configuration, where the robot has stood. Always: they touch in nearly
    all configurations. Never: they touch in none.
    """

    link1: str
    link2: str
    reason: Reason


def collision_pairs(
    urdf: Path, reference: Mapping[str, float], samples: int = 10_000, seed: int = 0
) -> tuple[DisabledPair, ...]:
    """The disabled pairs of a robot, in alphabetical order; all others can and may collide.

    reference: joint values (rad or m) by name at which the robot is known to stand free; joints
    not named stand at 0, or the nearest limit. samples: configurations drawn evenly within the
    limits, in which a pair must not have touched to be one that never does. The same arguments
    give the same pairs. Raises InputError where the URDF cannot be used, or lacks a joint named.
    """
    robot = LinkCollisions(urdf)
    reasons = disabled_reasons(robot, robot.configuration(reference)[None])
    drawn = robot.sampled(samples, np.random.default_rng(seed))
    first, rest = drawn[:_FIRST], drawn[_FIRST:]
    free = np.array([reason == "" for reason in reasons], bool)
    touched = robot.touching(first, free).mean(0) if len(first) else np.zeros(len(free))
    never = free & (touched == 0)
    never &= ~robot.touching(rest, never).any(0)
    reasons[free & (touched >= NEARLY_ALWAYS)] = "Always"
    reasons[never] = "Never"
    return tuple(
        DisabledPair(*pair, reason)
        for pair, reason in zip(robot.pairs, reasons.tolist(), strict=True)
        if reason
    )


def disabled_reasons(
    robot: LinkCollisions, free: NDArray[np.float64]
) -> NDArray[np.str_]:
    """(P,) Adjacent, Default or nothing. free: (F, J) where the robot is known to stand free."""
    reasons = np.full(len(robot.pairs), "", dtype="<U8")
    reasons[robot.touching(free).any(0)] = "Default"
    reasons[robot.adjacent] = "Adjacent"
    return reasons
