"""How often messages come, and from when on their publisher counts as silent."""

from __future__ import annotations

import math
import threading
from collections import deque

MARGIN = 0.15
"""Seconds that a message may be late, as it was not lately."""

LONGEST = 5.0
"""Longest silence (s) that is concluded from what was measured, unless told otherwise."""

_GAPS = 50
_FEWEST = 5


class Heartbeat:
    """Notes when messages arrive, which may be on another thread.

    Times are seconds of a clock that is never set back.
    """

    def __init__(self, timeout: float = 0.0, longest: float = LONGEST) -> None:
        """timeout: longest silence (s) that is accepted; 0: as the latest gaps tell, and no longer
        than `longest` (s).
        """
        self._timeout, self._longest = timeout, longest
        self._newest = -math.inf
        self._gaps: deque[float] = deque(maxlen=_GAPS)
        self._lock = threading.Lock()

    def beat(self, now: float) -> None:
        """Note that a message came.

        An outage tells nothing of how often they do: that is measured anew.
        """
        with self._lock:
            gap, self._newest = now - self._newest, now
            if gap > self._longest:
                self._gaps.clear()
            else:
                self._gaps.append(gap)

    def age(self, now: float) -> float:
        """Seconds since the last message; infinite before the first."""
        return now - self._newest

    @property
    def known(self) -> bool:
        """Whether enough messages came to tell how often they do, where that matters."""
        return self._timeout > 0 or len(self._gaps) >= _FEWEST

    @property
    def limit(self) -> float:
        """Longest silence (s) that is accepted now.

        Measured: MARGIN after the longest of the latest gaps, and as much more as they differ, so
        that a publisher that was irregular may be so by as much again.
        """
        if self._timeout > 0:
            return self._timeout
        with self._lock:
            if len(self._gaps) < _FEWEST:
                return self._longest
            longest, shortest = max(self._gaps), min(self._gaps)
        return min(MARGIN + 2 * longest - shortest, self._longest)

    def silent(self, now: float) -> bool:
        """Whether a message should have come by now."""
        return self.age(now) > self.limit
