"""Times of stillness, from the clouds alone: for bags without joint states."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from autourdf_ros.data.extraction.still_moments import StillMoment

Points = NDArray[np.float64]
Interval = tuple[float, float]

WINDOW = 0.5
"""Seconds between two clouds that are compared; longer than with readings, as clouds are coarse."""

_SAMPLES = 8000
_FAR = 4.0  # typical distances between the samples
_QUIET = 0.1  # quantile of the shares that is taken for a still scene
_MARGIN = 0.003  # share of the points


class StillClouds:
    """Finds the times at which nothing moved in the clouds of one camera, all in one frame.

    It compares clouds that are `window` seconds apart. A point of the later cloud has moved where
    it is farther from the earlier cloud than that cloud's samples are from each other. The quietest
    comparisons determine the share that is noise, so that a bag without any stillness is not
    recognized as such.
    """

    def __init__(self, window: float = WINDOW) -> None:
        self._window = window
        self._recent: deque[tuple[float, Points]] = deque()
        self._compared: list[tuple[float, float, float, Points]] = []

    def add(self, stamp: float, points: Points) -> None:
        """Compare a cloud (N, 3) of time `stamp` (s) with the newest that is a window older."""
        sample = _sampled(points)
        self._recent.append((stamp, sample))
        while len(self._recent) > 1 and self._recent[1][0] <= stamp - self._window:
            self._recent.popleft()
        before, earlier = self._recent[0]
        if before <= stamp - self._window and len(earlier) and len(sample):
            self._compared.append((before, stamp, moved_share(earlier, sample), sample))

    def intervals(self) -> list[Interval]:
        """Return start and end (s) of every time of stillness, one between two motions."""
        if not self._compared:
            return []
        limit = self._limit
        found: list[tuple[float, float, Points]] = []
        for start, end, share, sample in self._compared:
            if share > limit:
                continue
            if found and start <= found[-1][1]:
                found[-1] = found[-1][0], end, sample
            else:
                found.append((start, end, sample))
        kept: list[tuple[float, float, Points]] = []
        for interval in found:
            if kept and moved_share(kept[-1][2], interval[2]) <= limit:
                continue
            kept.append(interval)
        return [(start, end) for start, end, _ in kept]

    @property
    def _limit(self) -> float:
        shares = [share for _, _, share, _ in self._compared]
        return 2 * float(np.quantile(shares, _QUIET)) + _MARGIN


def moved_share(still: Points, moved: Points) -> float:
    """Return the share of points `moved` (M, 3) that are far from points `still` (N, 3).

    Both have the same sampling.
    """
    tree = KDTree(still)
    if len(still) < 3:
        return 1.0
    spacing = float(np.median(tree.query(still, 2)[0][:, 1]))
    distances, _ = tree.query(moved)
    return float((distances > _FAR * spacing).mean())


def common_moments(cameras: Iterable[Sequence[Interval]]) -> list[StillMoment]:
    """Return the times at which the intervals of all cameras overlap, without joints."""
    common: list[Interval] | None = None
    for intervals in cameras:
        if common is None:
            common = list(intervals)
            continue
        common = [
            (max(one[0], other[0]), min(one[1], other[1]))
            for one in common
            for other in intervals
            if max(one[0], other[0]) < min(one[1], other[1])
        ]
    return [StillMoment(start, end, {}) for start, end in sorted(common or [])]


def _sampled(points: Points) -> Points:
    if len(points) <= _SAMPLES:
        return points
    return points[np.random.default_rng(0).choice(len(points), _SAMPLES, replace=False)]
