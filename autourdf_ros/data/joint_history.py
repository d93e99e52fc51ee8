"""Recent joint readings, and a criterion for stillness."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

CLOCK_SET_BACK = 1.0
"""A stamp that is older than the last by more than this (s) means a clock that was set back."""


class JointHistory:
    """The last `length` readings of some joints, with their stamps. Thread-safe.

    Readings may come in parts, as when an arm and its gripper each publish their own joints.
    """

    def __init__(self, joints: tuple[str, ...], length: int = 5000) -> None:
        self.joints = joints
        self._readings: deque[tuple[float, NDArray[np.float64]]] = deque(maxlen=length)
        self._values = np.full(len(joints), np.nan)
        self._lock = threading.Lock()

    def add(self, stamp: float, positions: Mapping[str, float]) -> float:
        """Add a reading; positions that are not finite count as not read.

        Args:
            stamp: seconds.
            positions: by joint name (rad or m).

        Returns:
            Seconds by which the clock of the stamps was set back; 0 where it was not.
        """
        set_back = 0.0
        values = np.array([positions.get(name, np.nan) for name in self.joints])
        known = np.isfinite(values)
        with self._lock:
            if self._readings and stamp < self._readings[-1][0] - CLOCK_SET_BACK:
                set_back = self._readings[-1][0] - stamp
                self._readings.clear()
            self._values = np.where(known, values, self._values)
            newer = not self._readings or stamp > self._readings[-1][0]
            if known.any() and newer and np.isfinite(self._values).all():
                self._readings.append((stamp, self._values))
        return set_back

    @property
    def latest(self) -> tuple[float, dict[str, float]] | None:
        """Stamp and positions of the newest reading, or None."""
        with self._lock:
            if not self._readings:
                return None
            stamp, values = self._readings[-1]
        return stamp, dict(zip(self.joints, values.tolist(), strict=True))

    def between(self, start: float, end: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return stamps (T,) and positions (T, J) of the readings in [start, end] (s)."""
        with self._lock:
            chosen = [reading for reading in self._readings if start <= reading[0] <= end]
        stamps = np.array([stamp for stamp, _ in chosen])
        return stamps, np.array([v for _, v in chosen]).reshape(len(chosen), len(self.joints))

    def at(self, stamp: float) -> tuple[NDArray[np.float64], NDArray[np.float64], float] | None:
        """Return positions and velocities (J,) at a time (s), interpolated, or None where unknown.

        Also returns the seconds between the two readings around it; 0 where one has that time.
        """
        with self._lock:
            readings = list(self._readings)
        after = bisect_left(readings, stamp, key=lambda reading: reading[0])
        if after == len(readings) or (after == 0 and readings[0][0] > stamp):
            return None
        late, later = readings[after]
        if late == stamp or not after:
            early, earlier = readings[max(after - 1, 0)]
            gap = 0.0
        else:
            early, earlier = readings[after - 1]
            gap = late - early
        velocity = (later - earlier) / (late - early) if late > early else np.zeros(len(later))
        return later - velocity * (late - stamp), velocity, gap

    def mean(self, start: float, end: float) -> dict[str, float]:
        """Return the mean positions in [start, end] (s), which must hold a reading."""
        _, positions = self.between(start, end)
        return dict(zip(self.joints, positions.mean(axis=0).tolist(), strict=True))

    def velocity(self, window: float = 0.1) -> dict[str, float]:
        """Return velocities over the last `window` seconds; 0 for fewer than 3 readings."""
        newest = self.latest
        slopes = np.zeros(len(self.joints))
        if newest is not None:
            stamps, positions = self.between(newest[0] - window, newest[0])
            if len(stamps) >= 3:
                slopes = _slopes(stamps, positions)
        return dict(zip(self.joints, slopes.tolist(), strict=True))

    def noise(self, window: float) -> dict[str, float]:
        """Return the standard deviations over the last `window` seconds, for joints at rest."""
        newest = self.latest
        spread = np.zeros(len(self.joints))
        if newest is not None:
            spread = self.between(newest[0] - window, newest[0])[1].std(axis=0)
        return dict(zip(self.joints, spread.tolist(), strict=True))

    def fastest(self, start: float, end: float) -> tuple[str, float] | None:
        """Return name and speed of the joint that moved fastest in [start, end] (s), or None.

        The speed is the slope of lines fitted to the readings of the interval and of its halves, so
        that encoder noise does not count as motion. None: readings do not cover the interval.
        """
        stamps, positions = self.between(start, end)
        speeds = _speeds(stamps, positions, end - start)
        if speeds is None:
            return None
        number = int(speeds.argmax())
        return self.joints[number], float(speeds[number])

    def still(self, start: float, end: float, velocity: float) -> bool:
        """Return whether no joint moved faster than `velocity` in [start, end], by `fastest`.

        False: a joint moved, or readings do not cover the interval.
        """
        stamps, positions = self.between(start, end)
        return is_still(stamps, positions, end - start, velocity)


def is_still(
    stamps: NDArray[np.float64], positions: NDArray[np.float64], duration: float, velocity: float
) -> bool:
    """Return whether no joint moved faster than `velocity`, as `JointHistory.still`.

    Args:
        stamps: (T,) seconds.
        positions: (T, J) rad or m.
        duration: of the interval that the readings must cover (s).
        velocity: rad/s or m/s.
    """
    speeds = _speeds(stamps, positions, duration)
    return speeds is not None and bool((speeds <= velocity).all())


def _speeds(
    stamps: NDArray[np.float64], positions: NDArray[np.float64], duration: float
) -> NDArray[np.float64] | None:
    """Return the largest speed of every joint (J,), or None without coverage."""
    covered = len(stamps) >= 4 and stamps[-1] - stamps[0] >= 0.7 * duration
    if not covered:
        return None
    middle = len(stamps) // 2
    parts = (slice(None), slice(None, middle), slice(middle, None))
    slopes = [np.abs(_slopes(stamps[part], positions[part])) for part in parts]
    return np.asarray(np.max(slopes, axis=0))


def _slopes(stamps: NDArray[np.float64], positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least-squares slope of every column."""
    time = stamps - stamps.mean()
    return np.asarray(time @ (positions - positions.mean(axis=0)) / (time @ time))
