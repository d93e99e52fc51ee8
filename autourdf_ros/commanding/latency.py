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

    def bound(self, joint: str, late: float) -> float:
        """Seconds within which the joint is to begin.

        late: how late others began the same motion: the command itself may have come late.
        """
        expected = max(self._seen.get(joint, self.longest), late)
        return min(expected + SLACK * self.longest, self.longest)
