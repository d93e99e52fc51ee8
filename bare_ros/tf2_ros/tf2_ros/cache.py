"""The transforms of one frame to its parent over time."""

from __future__ import annotations

import bisect
from typing import NamedTuple

from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.rigid import Rigid


class Stored(NamedTuple):
    """A transform into frame `parent`."""

    parent: str
    transform: Rigid


class StaticCache:
    """The newest transform, valid at every time."""

    def __init__(self) -> None:
        self._stored: Stored | None = None

    @property
    def latest(self) -> int | None:
        """None: a static transform does not limit the time."""
        return None

    def insert(self, stamp: int, stored: Stored) -> None:
        """Replace the transform."""
        self._stored = stored

    def get(self, stamp: int) -> Stored:
        """Return the transform."""
        assert self._stored is not None
        return self._stored


class TimeCache:
    """Transforms of the last `span` nanoseconds, by stamp (nanoseconds)."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._stamps: list[int] = []
        self._stored: list[Stored] = []

    @property
    def latest(self) -> int:
        """Stamp of the newest transform."""
        return self._stamps[-1]

    def insert(self, stamp: int, stored: Stored) -> None:
        """Keep a transform unless it is too old; forget transforms that have become too old."""
        if self._stamps and stamp < self.latest - self._span:
            return
        index = bisect.bisect_right(self._stamps, stamp)
        self._stamps.insert(index, stamp)
        self._stored.insert(index, stored)
        expired = bisect.bisect_left(self._stamps, self.latest - self._span)
        del self._stamps[:expired]
        del self._stored[:expired]

    def get(self, stamp: int) -> Stored:
        """Return the transform at `stamp`, interpolated; the newest one where `stamp` is 0."""
        if stamp == 0:
            return self._stored[-1]
        if len(self._stamps) == 1 and stamp != self.latest:
            raise ExtrapolationException(
                f"Lookup would require extrapolation at time {seconds(stamp)}, "
                f"but only time {seconds(self.latest)} is in the buffer"
            )
        if stamp > self.latest:
            raise ExtrapolationException(
                "Lookup would require extrapolation into the future.  Requested time "
                f"{seconds(stamp)} but the latest data is at time {seconds(self.latest)}"
            )
        if stamp < self._stamps[0]:
            raise ExtrapolationException(
                "Lookup would require extrapolation into the past.  Requested time "
                f"{seconds(stamp)} but the earliest data is at time {seconds(self._stamps[0])}"
            )
        after = bisect.bisect_right(self._stamps, stamp)
        older = self._stored[after - 1]
        if after == len(self._stamps):
            return older
        newer = self._stored[after]
        if newer.parent != older.parent:
            return older
        start, end = self._stamps[after - 1], self._stamps[after]
        ratio = (stamp - start) / (end - start)
        return Stored(older.parent, older.transform.interpolate(newer.transform, ratio))


def seconds(stamp: int) -> str:
    """Return nanoseconds as tf2 prints them in its messages."""
    return f"{stamp / 1e9:.6f}"
