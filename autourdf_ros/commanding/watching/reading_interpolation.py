"""Joint positions at a moment between two readings."""

from __future__ import annotations

import numpy as np

from autourdf_ros.data.joint_history import JointHistory

REACH = 0.5
"""Longest time (s) from a moment to the readings before and after it."""


def interpolated(
    history: JointHistory, stamp: float
) -> tuple[dict[str, float], dict[str, float]] | None:
    """Return positions and velocities at `stamp` (s), linear between the readings around it.

    Returns:
        Positions (rad or m) and velocities (per s) by joint, or None where a reading is missing on
        one side: before the first one, and until the next one comes.
    """
    stamps, positions = history.between(stamp - REACH, stamp + REACH)
    after = int(np.searchsorted(stamps, stamp))
    if after < len(stamps) and stamps[after] == stamp and not after:
        return dict(zip(history.joints, positions[0].tolist(), strict=True)), {}
    if not 0 < after < len(stamps):
        return None
    early, late = after - 1, after
    span = stamps[late] - stamps[early]
    share = (stamp - stamps[early]) / span
    there = (1 - share) * positions[early] + share * positions[late]
    speeds = (positions[late] - positions[early]) / span
    names = history.joints
    return (
        dict(zip(names, there.tolist(), strict=True)),
        dict(zip(names, speeds.tolist(), strict=True)),
    )
