"""Checks whether a robot follows its command."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.trajectory import Positions, Trajectory
from autourdf_ros.model.limits.motion_limits import Limits


@dataclass(frozen=True)
class Deviation:
    """A joint that is not where it was commanded to be.

    Attributes:
        joint: its name.
        commanded: its commanded position (rad or m).
        measured: its measured position (rad or m).
        refused: whether the whole robot stayed where it was, as when a controller rejects a
            command.
    """

    joint: str
    commanded: float
    measured: float
    refused: bool


def tolerances(trajectory: Trajectory, limits: Limits, tolerance: float) -> NDArray[np.float64]:
    """Return the (J,) largest accepted distances from the command (rad or m).

    A distance is at most 0.4 of a short move, so that a joint that does not move is always noticed.
    """
    moves = np.ptp(trajectory.positions, axis=0)
    spans = np.array([limits[name].span for name in trajectory.joints])
    smallest = np.minimum(0.01, 0.05 * spans)
    short = np.clip(0.4 * moves, smallest, tolerance)
    return np.where(moves > smallest, short, tolerance)


class FollowingMonitor:
    """Compares one trajectory with the measured positions of its joints."""

    def __init__(
        self, trajectory: Trajectory, limits: Limits, tolerance: float, lag: float
    ) -> None:
        """Create a monitor of one motion.

        Args:
            trajectory: the command.
            limits: of its joints.
            tolerance: largest accepted distance from the command (rad or m), see `tolerances`.
            lag: time (s) by which the robot may be late, and for which a deviation must last.
        """
        self._trajectory = trajectory
        self._lag = lag
        self._tolerance = tolerances(trajectory, limits, tolerance)
        self._since: float | None = None

    def arrived(self, measured: Positions) -> bool:
        """Return whether every joint is within its tolerance of the goal."""
        values = np.array([measured[name] for name in self._trajectory.joints])
        return bool((np.abs(values - self._trajectory.positions[-1]) <= self._tolerance).all())

    def check(self, time: float, measured: Positions, age: float = 0.0) -> Deviation | None:
        """Check the joints by one reading.

        Args:
            time: seconds since the start of the trajectory.
            measured: positions of the joints (rad or m).
            age: of the reading (s).

        Returns:
            The worst deviation once it has lasted longer than the lag, or None.
        """
        trajectory = self._trajectory
        # Even by an old reading, the joint must be close to a recent command.
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
        # Joints that were to stay prove nothing: the robot refused when no other joint left.
        refused = bool((gone <= 0.5 * self._tolerance).all())
        return Deviation(
            trajectory.joints[worst], float(commanded[-1, worst]), float(values[worst]), refused
        )
