"""Where the joints stood at a moment between two readings."""

from __future__ import annotations

import numpy as np

from autourdf_ros.data.joint_history import JointHistory

REACH = 0.5
"""Seconds from a moment within which readings on both sides tell where the joints stood."""


def interpolated(
    history: JointHistory, stamp: float
) -> tuple[dict[str, float], dict[str, float]] | None:
    """Positions and velocities at `stamp` (s), linear between the readings about it.

    None where there is none on either side: before the first, and until the next one comes.
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
