"""Measures how often messages come, and decides when their publisher counts as silent."""

from __future__ import annotations

import math
import threading
from collections import deque

MARGIN = 0.15
"""Seconds that a message may be later than the recent ones."""

LONGEST = 5.0
"""Longest silence (s) that the measured gaps allow, by default."""

_GAPS = 50
_FEWEST = 5


class Heartbeat:
    """Notes when messages arrive. All times are seconds of a clock that is never set back.

    Messages may arrive on another thread.
    """

    def __init__(self, timeout: float = 0.0, longest: float = LONGEST) -> None:
        """Create it.

        Args:
            timeout: longest accepted silence (s); 0: derived from the latest gaps between messages.
            longest: upper bound (s) of what is derived from the gaps.
        """
        self._timeout, self._longest = timeout, longest
        self._newest = -math.inf
        self._gaps: deque[float] = deque(maxlen=_GAPS)
        self._lock = threading.Lock()

    def beat(self, now: float) -> None:
        """Note that a message came.

        After an outage the gaps are measured anew.
        """
        with self._lock:
            gap, self._newest = now - self._newest, now
            if gap > self._longest:
                self._gaps.clear()
            else:
                self._gaps.append(gap)

    def age(self, now: float) -> float:
        """Return the seconds since the last message; infinite before the first."""
        return now - self._newest

    @property
    def known(self) -> bool:
        """Whether enough messages came to know their period, where the limit depends on it."""
        return self._timeout > 0 or len(self._gaps) >= _FEWEST

    @property
    def limit(self) -> float:
        """Longest silence (s) that is accepted now.

        Where it is measured: the longest of the latest gaps, and MARGIN, and the difference of the
        longest and the shortest gap, so that an irregular publisher may be as irregular again.
        """
        if self._timeout > 0:
            return self._timeout
        with self._lock:
            if len(self._gaps) < _FEWEST:
                return self._longest
            longest, shortest = max(self._gaps), min(self._gaps)
        return min(MARGIN + 2 * longest - shortest, self._longest)

    def silent(self, now: float) -> bool:
        """Return whether a message should have come by now."""
        return self.age(now) > self.limit
