"""Detects readings that no motion explains, as when two nodes publish the same joint."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autourdf_ros.model.limits.motion_limits import Limits

_FASTER = 2.0  # times the velocity limit: allows overshoot and imprecise stamps


class JumpWatch:
    """Compares each reading of a joint with the one before."""

    def __init__(self, limits: Limits, slack: float) -> None:
        """Create a watch of the joints in `limits`; a change of up to `slack` (rad or m) passes."""
        self._limits = limits
        self._slack = slack
        self._before: dict[str, tuple[float, float]] = {}  # stamp and position

    def add(self, stamp: float, positions: Mapping[str, float]) -> str | None:
        """Note a reading and return which joint jumped, or None.

        Args:
            stamp: of the reading (s).
            positions: by joint (rad or m); a position that is not finite counts as not read.
        """
        jump = None
        for name, limit in self._limits.items():
            position = positions.get(name, np.nan)
            if not np.isfinite(position):
                continue
            since, before = self._before.get(name, (stamp, position))
            self._before[name] = stamp, position
            step, duration = abs(position - before), abs(stamp - since)
            if jump is None and step > self._slack + _FASTER * limit.velocity * duration:
                jump = (
                    f"joint {name} jumped from {before:.3f} to {position:.3f} within "
                    f"{duration:.3f} s; accepted is up to its velocity, {limit.velocity:g}"
                )
        return jump
