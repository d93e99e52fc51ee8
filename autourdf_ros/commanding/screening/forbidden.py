"""Configurations that a robot may not pass, as boxes in joint space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.commanding.trajectory import Positions


@dataclass(frozen=True)
class Forbidden:
    """A box in joint space.

    Attributes:
        name: of the box.
        ranges: lower and upper bound by joint (rad or m); the robot is in the box when all of these
            joints are in their ranges.
    """

    name: str
    ranges: Mapping[str, tuple[float, float]]

    def crossed(self, start: Positions, end: Positions) -> bool:
        """Return whether the straight line between two configurations meets the box."""
        here = np.array([start[name] for name in self.ranges])
        move = np.array([end[name] for name in self.ranges]) - here
        ends = np.array(list(self.ranges.values())) - here[:, None]
        rests = move == 0.0
        if ((ends[rests, 0] > 0) | (ends[rests, 1] < 0)).any():
            return False
        # Shares of the line at which each of the joints that move enters and leaves its range.
        shares = np.sort(ends[~rests] / move[~rests, None], axis=1)
        enters = max(0.0, shares[:, 0].max(initial=0.0))
        leaves = min(1.0, shares[:, 1].min(initial=1.0))
        return bool(enters <= leaves)


def crossed(forbidden: Sequence[Forbidden], start: Positions, end: Positions) -> str | None:
    """Return the first box that the line between two configurations meets, in words, or None."""
    for box in forbidden:
        if box.crossed(start, end):
            ranges = ", ".join(f"{n} {a:g} .. {b:g}" for n, (a, b) in box.ranges.items())
            return f"it meets the forbidden configurations {box.name!r} ({ranges})"
    return None
