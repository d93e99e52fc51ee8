"""Checks whether every joint is still read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autourdf_ros.commanding.watching.heartbeat import Heartbeat
from autourdf_ros.commanding.watching.machine_load import busyness

LONGEST = 1.5
"""Longest silence (s) of a joint that the measured gaps allow: a moving robot is not unobserved for
longer, even if its readings become slower gradually."""

SHORTEST = 0.3
"""Silence (s) of a joint that is allowed however regular its readings are. A robot that follows a
checked trajectory may be unobserved for so long; less would be the delay of a busy machine. Where
the machine has more to do than its cores can, it is as many times longer as processes share a core,
up to the longest."""

OF_FORCES = 0.5
"""Longest silence (s) where forces are commanded or watched; there no shortest one applies."""


@dataclass(frozen=True)
class Silence:
    """A joint that is not read.

    Attributes:
        joint: its name.
        age: seconds since its last reading; infinite: none came.
        limit: accepted seconds.
    """

    joint: str
    age: float
    limit: float


class ReadingWatch:
    """A heartbeat for each joint, since an arm and its gripper may be published separately.

    All times are seconds of a clock that is never set back.
    """

    def __init__(
        self,
        joints: Sequence[str],
        timeout: float = 0.0,
        longest: float = LONGEST,
        shortest: float = SHORTEST,
    ) -> None:
        """Create a watch of the joints; for the times (s) see `Heartbeat`."""
        self._beats = {name: Heartbeat(timeout, longest, shortest, busyness) for name in joints}

    def add(self, read: Iterable[str], now: float) -> None:
        """Note which joints were read at `now` (s); joints that are not watched do not matter."""
        for name in read:
            if name in self._beats:
                self._beats[name].beat(now)

    def silent(self, now: float) -> list[Silence]:
        """Return joints that are not read any more, or never were, the longest silence first."""
        found = [
            Silence(name, beat.age(now), beat.limit)
            for name, beat in self._beats.items()
            if beat.silent(now)
        ]
        return sorted(found, key=lambda silence: -silence.age)

    @property
    def unknown(self) -> list[str]:
        """Joints whose period is not known yet."""
        return [name for name, beat in self._beats.items() if not beat.known]
