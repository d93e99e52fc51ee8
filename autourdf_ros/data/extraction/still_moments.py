"""Times at which a robot stood still, from its joint readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.joint_history import is_still
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

# rad or m: what encoders at rest, and a robot that came back, may be off by.
_SAME = 0.005
_BACK = 0.03
# Windows begin this share of their length after one another.
_STRIDE = 0.25
_WINDOW = 0.25
_READINGS = 6


@dataclass(frozen=True)
class Readings:
    """Joint readings over time.

    Attributes:
        joints: names, J.
        stamps: (T,) seconds, ascending.
        positions: (T, J) rad or m.
    """

    joints: tuple[str, ...]
    stamps: Array
    positions: Array


@dataclass(frozen=True)
class StillMoment:
    """A time at which the robot stood still.

    Attributes:
        start: seconds.
        end: seconds.
        joints: positions by name (rad or m); may be empty.
    """

    start: float
    end: float
    joints: Mapping[str, float]


def gather(messages: Sequence[tuple[float, Mapping[str, float]]]) -> Readings:
    """Gather readings from joint states, which may come in parts and in any order.

    A joint keeps its position until its next reading. Positions that are not finite count as not
    read. Readings begin when every joint was read once.

    Args:
        messages: (stamp in seconds, positions by joint in rad or m).

    Raises:
        InputError: no joint has a finite position.
    """
    joints = tuple(dict.fromkeys(name for _, positions in messages for name in positions))
    table = np.array(
        [[positions.get(name, np.nan) for name in joints] for _, positions in messages]
    ).reshape(len(messages), len(joints))
    table[~np.isfinite(table)] = np.nan
    known = ~np.isnan(table).all(axis=0)
    joints = tuple(name for name, is_known in zip(joints, known, strict=True) if is_known)
    if not joints:
        raise InputError("the joint states hold no finite position; accepted is at least one joint")
    stamps = np.array([stamp for stamp, _ in messages])
    order = np.argsort(stamps, kind="stable")
    stamps, table = stamps[order], table[order][:, known]
    rows = np.where(np.isnan(table), 0, np.arange(len(table))[:, None])
    table = np.take_along_axis(table, np.maximum.accumulate(rows, axis=0), axis=0)
    whole = ~np.isnan(table).any(axis=1)
    # Of several readings of one time the last is the most complete one.
    whole[:-1] &= np.diff(stamps) > 0
    return Readings(joints, stamps[whole], table[whole])


def window_for(readings: Readings) -> float:
    """Return how long the robot must stand still (s): as in the capture, at least six readings."""
    if len(readings.stamps) < 2:
        return _WINDOW
    return max(_WINDOW, _READINGS * float(np.median(np.diff(readings.stamps))))


def find_still(readings: Readings, window: float, velocity: float) -> list[StillMoment]:
    """Find the times at which no joint was faster than `velocity` over `window` seconds or more.

    The criterion is that of the capture (`is_still`). Where nothing moved since the moment before,
    there is no new one.

    Args:
        window: seconds.
        velocity: rad/s or m/s.
    """
    intervals: list[list[float]] = []
    for start in _starts(readings, window):
        stamps, positions = _between(readings, start, start + window)
        if not is_still(stamps, positions, window, velocity):
            continue
        if intervals and start < intervals[-1][1]:
            intervals[-1][1] = start + window
        else:
            intervals.append([start, start + window])
    moments: list[StillMoment] = []
    for start, end in intervals:
        joints = mean_positions(readings, start, end)
        if not moments or _distance(moments[-1].joints, joints) > _SAME:
            moments.append(StillMoment(start, end, joints))
    return moments


def never_still(readings: Readings, window: float, velocity: float) -> list[str]:
    """Return the joints that moved faster than `velocity` (rad/s or m/s) in every window (s)."""
    restless = np.ones(len(readings.joints), bool)
    for start in _starts(readings, window):
        stamps, positions = _between(readings, start, start + window)
        for joint in np.flatnonzero(restless):
            restless[joint] = not is_still(stamps, positions[:, [joint]], window, velocity)
    return [name for name, moves in zip(readings.joints, restless, strict=True) if moves]


def mean_positions(readings: Readings, start: float, end: float) -> dict[str, float]:
    """Return the mean positions (rad or m) from `start` to `end` (s), which hold a reading."""
    _, positions = _between(readings, start, end)
    return dict(zip(readings.joints, positions.mean(axis=0).tolist(), strict=True))


def sequence_starts(moments: Sequence[StillMoment]) -> set[int]:
    """Return the numbers of the moments that begin a sequence.

    These are the first moment, and those at which the robot is back at its place. Motion to and fro
    between two places begins no sequence.
    """
    starts = {0}
    for number, (last, moment) in enumerate(pairwise(moments), 1):
        is_back = bool(moment.joints) and _distance(moments[0].joints, moment.joints) <= _BACK
        far = is_back and _distance(last.joints, moment.joints) > _BACK
        if far and number - max(starts) >= 3 and len(moments) - number >= 3:
            starts.add(number)
    return starts


def _starts(readings: Readings, window: float) -> Array:
    if not len(readings.stamps):
        return np.zeros(0)
    return np.arange(readings.stamps[0], readings.stamps[-1] - 0.9 * window, _STRIDE * window)


def _between(readings: Readings, start: float, end: float) -> tuple[Array, Array]:
    first, last = np.searchsorted(readings.stamps, [start, end])
    return readings.stamps[first:last], readings.positions[first:last]


def _distance(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the largest difference of a joint (rad or m)."""
    return max((abs(other[name] - value) for name, value in one.items()), default=np.inf)
