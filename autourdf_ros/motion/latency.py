"""How late each joint of a robot begins what it is commanded, as measured."""

from __future__ import annotations

SLACK = 0.4
"""By how much later than it ever did a joint may begin: a share of the longest latency."""


class Latency:
    """The largest latency of each joint so far; until there is one, the longest that is accepted.

    longest: seconds.
    """

    def __init__(self, longest: float) -> None:
        self.longest = longest
        self._seen: dict[str, float] = {}

    def note(self, joint: str, seconds: float) -> None:
        """Note when a joint began to move, after it should have at once."""
        self._seen[joint] = max(seconds, self._seen.get(joint, 0.0))

    def bound(self, joint: str) -> float:
        """Seconds within which the joint is to begin."""
        return min(self._seen.get(joint, self.longest) + SLACK * self.longest, self.longest)
