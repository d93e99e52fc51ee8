"""Whether a robot does what it was commanded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.trajectory import Positions, Trajectory
from autourdf_ros.model.limits.motion_limits import Limits


@dataclass(frozen=True)
class Deviation:
    """A joint is elsewhere than commanded (rad or m).

    refused: the whole robot stayed where it was, as when a controller rejects a command.
    """

    joint: str
    commanded: float
    measured: float
    refused: bool


def tolerances(trajectory: Trajectory, limits: Limits, tolerance: float) -> NDArray[np.float64]:
    """(J,) largest accepted distances (rad or m): at most 0.4 of a short move.

    So that a joint that does not move at all is always noticed.
    """
    moves = np.ptp(trajectory.positions, axis=0)
    spans = np.array([limits[name].span for name in trajectory.joints])
    smallest = np.minimum(0.01, 0.05 * spans)
    short = np.clip(0.4 * moves, smallest, tolerance)
    return np.where(moves > smallest, short, tolerance)


class FollowingMonitor:
    """Compares one trajectory with what the joints do.

    tolerance: largest accepted distance (rad or m), see `tolerances`.
    lag: seconds that the robot may be behind its command, and how long a deviation must last.
    """

    def __init__(
        self, trajectory: Trajectory, limits: Limits, tolerance: float, lag: float
    ) -> None:
        self._trajectory = trajectory
        self._lag = lag
        self._tolerance = tolerances(trajectory, limits, tolerance)
        self._since: float | None = None

    def arrived(self, measured: Positions) -> bool:
        """Whether every joint is within its tolerance of the goal."""
        values = np.array([measured[name] for name in self._trajectory.joints])
        return bool((np.abs(values - self._trajectory.positions[-1]) <= self._tolerance).all())

    def check(self, time: float, measured: Positions, age: float = 0.0) -> Deviation | None:
        """Look at the joints `time` seconds after the start, by a reading `age` seconds old.

        Returns the worst deviation once it has lasted longer than the lag.
        """
        trajectory = self._trajectory
        # However old the reading, a joint has to be where it was to be not long ago.
        times = np.linspace(time - self._lag - min(max(age, 0.0), self._lag), time, 8)
        commanded = trajectory.at(times)
        values = np.array([measured[name] for name in trajectory.joints])
        nearest = np.clip(values, commanded.min(axis=0), commanded.max(axis=0))
        excess = np.abs(values - nearest) / self._tolerance
        if excess.max() <= 1.0:
            self._since = None
            return None
        if self._since is None:
            self._since = time
        if time - self._since < self._lag:
            return None
        worst = int(excess.argmax())
        gone = np.abs(values - trajectory.positions[0])
        # Joints that were to stay prove nothing: the robot refused when none of the others left.
        refused = bool((gone <= 0.5 * self._tolerance).all())
        return Deviation(
            trajectory.joints[worst], float(commanded[-1, worst]), float(values[worst]), refused
        )
