"""Detects soon whether a joint does not advance as commanded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.latency import Latency
from autourdf_ros.commanding.trajectory import Positions, Trajectory
from autourdf_ros.commanding.watching.following import Deviation

Array = NDArray[np.float64]

_STEP = 0.01  # s, of the table of the command
_WINDOWS = 0.15 * 2.0 ** np.arange(6)  # s; the long ones are for slow motions
_SHARE = 0.25
_TAIL = 2.0  # of the longest latency: the response may take that long
_LEAST = 0.6  # of the accepted distance: a joint that sways or sticks a little moves in jerks
_DELAYS = 51
_NOISE = 20.0  # standard deviations of the readings that a travel must exceed to be judged


class StallWatch:
    """Compares the travel of each joint in windows of time with the travel of its command.

    The command travels at least some distance in every window of the same length that began up to
    the joint's latency earlier. A joint stalls if it travels less than a quarter of the least such
    distance. A linear drive with an impulse response h(t) >= 0 travels at least that distance times
    the share of h within the latency. So no drive is accused that shows a quarter of its response
    by then, such as a delay of up to the latency, or a first-order lag of up to three times the
    latency.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        tolerance: Array,
        latency: Latency,
        noise: Mapping[str, float],
    ) -> None:
        """Create a watch of one motion, before which the joints rest.

        Args:
            trajectory: the command.
            tolerance: (J,) distances from the command (rad or m) that are accepted.
            latency: of the joints; it is updated by this motion.
            noise: standard deviation of the readings by joint (rad or m).
        """
        self._trajectory = trajectory
        self._latency = latency
        noises = np.array([noise[name] for name in trajectory.joints])
        self._least = np.maximum(_LEAST * tolerance, _NOISE * noises)
        self._delays = np.linspace(0.0, _TAIL * latency.longest, _DELAYS)
        self._table = trajectory.at(np.arange(0.0, trajectory.duration + _STEP, _STEP))
        gone = np.abs(self._table - self._table[0]) > 0.5 * self._least
        self._onsets = np.where(gone.any(axis=0), gone.argmax(axis=0) * _STEP, np.inf)
        self._late = -np.inf  # s, how late the joints began so far
        self._stamps: list[float] = []
        self._readings: list[Array] = []
        self._behind = np.inf  # s, offset of the stamps' clock and transport time of the readings

    def check(self, time: float, measured: Positions, age: float) -> Deviation | None:
        """Check the joints by one reading.

        Args:
            time: seconds since the start of the trajectory.
            measured: positions of the joints (rad or m).
            age: of the reading (s); the clock of its stamp may differ from the clock of `time`.

        Returns:
            A joint that stalls, or None.
        """
        self._behind = min(self._behind, age)
        if self._stamps and time - age <= self._stamps[-1]:
            return None
        self._stamps.append(time - age)
        self._readings.append(np.array([measured[name] for name in self._trajectory.joints]))
        self._learn()
        shortage = self._shortage()
        if shortage.max() <= 0.0:
            return None
        worst = int(shortage.argmax())
        return Deviation(
            self._trajectory.joints[worst],
            float(self._trajectory.at(time)[worst]),
            float(self._readings[-1][worst]),
            refused=not self._begun().any(),
        )

    def _begun(self) -> NDArray[np.bool_]:
        """Return (J,) which joints have left their position of rest."""
        return np.abs(self._readings[-1] - self._readings[0]) > 0.5 * self._least

    def _learn(self) -> None:
        """Note the latency of joints that have begun to move."""
        for number in np.flatnonzero(self._begun() & np.isfinite(self._onsets)):
            late = float(self._stamps[-1] + self._behind - self._onsets[number])
            self._latency.note(self._trajectory.joints[number], late)
            self._late = max(self._late, late)
            self._onsets[number] = np.inf

    def _shortage(self) -> Array:
        """Return (J,) how much of the accepted travel each joint lacks (rad or m); 0: none."""
        now = self._stamps[-1] + self._behind
        joints = self._trajectory.joints
        # While the whole robot stands, its command may still be on the way.
        late = self._late if np.isfinite(self._late) else self._latency.longest
        in_time = self._delays[:, None] <= [self._latency.bound(name, late) for name in joints]
        worst = np.zeros(len(joints))
        for window in _WINDOWS[: 1 + np.searchsorted(_WINDOWS, now)]:
            before = max(bisect_right(self._stamps, self._stamps[-1] - window) - 1, 0)
            # Before the first reading all joints rested.
            length = max(window, self._stamps[-1] - self._stamps[before])
            ways = self._command(now - self._delays) - self._command(now - self._delays - length)
            # Commands that are still to take effect must not move the joint in the other direction.
            forth, back = (ways >= 0).all(axis=0), (ways <= 0).all(axis=0)
            least = np.where(in_time, np.abs(ways), np.inf).min(axis=0)
            travelled = (self._readings[-1] - self._readings[before]) * np.where(forth, 1, -1)
            judged = (forth | back) & (least >= self._least)
            worst = np.maximum(worst, np.where(judged, _SHARE * least - travelled, 0.0))
        return worst

    def _command(self, times: Array) -> Array:
        """Return (M, J) commanded positions at (M,) times (s), from the table."""
        steps = np.clip(np.round(times / _STEP), 0, len(self._table) - 1)
        return np.asarray(self._table[steps.astype(int)])
