"""Measures how often messages come, and decides when their publisher counts as silent."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable

MARGIN = 0.15
"""Seconds that a message may be later than the recent ones."""

LONGEST = 5.0
"""Longest silence (s) that the measured gaps allow, by default."""

_GAPS = 50
_FEWEST = 5
_MEMORY = 10  # s for which the longest gap counts: a busy machine delays by bursts


class Heartbeat:
    """Notes when messages arrive. All times are seconds of a clock that is never set back.

    Messages may arrive on another thread.
    """

    def __init__(
        self,
        timeout: float = 0.0,
        longest: float = LONGEST,
        shortest: float = 0.0,
        busyness: Callable[[], float] = lambda: 1.0,
    ) -> None:
        """Create it.

        Args:
            timeout: longest accepted silence (s); 0: derived from the latest gaps between messages.
            longest: upper bound (s) of what is derived from the gaps.
            shortest: lower bound (s) of it: a busy machine delays any message once in a while.
            busyness: returns how many processes share a core; so many times longer is that bound.
        """
        self._busyness = busyness
        self._timeout, self._longest, self._shortest = timeout, longest, shortest
        self._newest = -math.inf
        self._gaps: deque[float] = deque(maxlen=_GAPS)
        self._peaks: deque[tuple[int, float]] = deque(maxlen=_MEMORY)  # second, its longest gap
        self._lock = threading.Lock()

    def beat(self, now: float) -> None:
        """Note that a message came.

        After an outage the gaps are measured anew.
        """
        with self._lock:
            gap, self._newest = now - self._newest, now
            if gap > self._longest:
                self._gaps.clear()
                self._peaks.clear()
                return
            self._gaps.append(gap)
            second, peak = self._peaks[-1] if self._peaks else (-1, 0.0)
            if second == int(now):
                self._peaks[-1] = second, max(peak, gap)
            else:
                self._peaks.append((int(now), gap))

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

        Where it is measured: the longest gap of the latest 50 messages and of the seconds before
        them, and MARGIN, and the difference of the longest and the shortest gap, so that an
        irregular publisher may be as irregular again; within the bounds, of which the lower one
        grows with the load of the machine.
        """
        if self._timeout > 0:
            return self._timeout
        with self._lock:
            if len(self._gaps) < _FEWEST:
                return self._longest
            recent = (peak for second, peak in self._peaks if second > self._newest - _MEMORY)
            longest, shortest = max(*self._gaps, *recent), min(self._gaps)
        measured = MARGIN + 2 * longest - shortest
        return min(max(measured, self._shortest * self._busyness()), self._longest)

    def silent(self, now: float) -> bool:
        """Return whether a message should have come by now."""
        return self.age(now) > self.limit
