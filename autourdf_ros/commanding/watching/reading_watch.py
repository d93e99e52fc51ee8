"""Whether each of some joints is still read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autourdf_ros.commanding.watching.heartbeat import Heartbeat

LONGEST = 0.5
"""Longest silence (s) of a joint that is concluded from what was measured: a robot that moves is
not left alone for longer, however slowly its readings come to be late."""


@dataclass(frozen=True)
class Silence:
    """A joint was not read for `age` seconds (inf: never); accepted are `limit`."""

    joint: str
    age: float
    limit: float


class ReadingWatch:
    """A heartbeat of each joint: an arm and its gripper may be published apart, each as often.

    timeout: see `Heartbeat`. Times are seconds of a clock that is never set back.
    """

    def __init__(self, joints: Sequence[str], timeout: float = 0.0) -> None:
        self._beats = {name: Heartbeat(timeout, LONGEST) for name in joints}

    def add(self, read: Iterable[str], now: float) -> None:
        """Note which joints were read; others than those watched do not matter."""
        for name in read:
            if name in self._beats:
                self._beats[name].beat(now)

    def silent(self, now: float) -> list[Silence]:
        """Joints that are not read any more, or never were, the one silent for longest first."""
        found = [
            Silence(name, beat.age(now), beat.limit)
            for name, beat in self._beats.items()
            if beat.silent(now)
        ]
        return sorted(found, key=lambda silence: -silence.age)

    @property
    def unknown(self) -> list[str]:
        """Joints of which it is not known yet how often they are read."""
        return [name for name, beat in self._beats.items() if not beat.known]
