"""The measured delay between a command and the motion of each joint."""

from __future__ import annotations

SLACK = 0.4
"""Share of the longest latency by which a joint may begin later than it ever did."""


class Latency:
    """The largest latency of each joint so far.

    Attributes:
        longest: the longest latency that is accepted (s); it counts for a joint that has none yet.
    """

    def __init__(self, longest: float) -> None:
        self.longest = longest
        self._seen: dict[str, float] = {}

    def note(self, joint: str, seconds: float) -> None:
        """Note the latency (s) with which a joint began to move."""
        self._seen[joint] = max(seconds, self._seen.get(joint, 0.0))

    def bound(self, joint: str, late: float) -> float:
        """Return the time (s) within which the joint has to begin.

        Args:
            joint: its name.
            late: how late (s) other joints began the same motion; the command itself may have come
                late.
        """
        expected = max(self._seen.get(joint, self.longest), late)
        return min(expected + SLACK * self.longest, self.longest)
