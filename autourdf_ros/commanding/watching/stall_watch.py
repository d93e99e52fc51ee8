"""Whether the joints get on as commanded, told soon after one of them does not."""

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
_TAIL = 2.0  # of the longest latency, up to where a response is looked for
_LEAST = 0.6  # of the accepted distance: a joint that sways or sticks a little comes on by jerks
_DELAYS = 51
_NOISE = 20.0  # standard deviations that a travel must be to be told


class StallWatch:
    """Compares how far each joint came in windows of time with how far it was to come.

    A joint stalls that came less than a quarter of the least that its command went in any window
    of the same length which began up to its latency earlier. A linear drive, whose response to an
    impulse is h(t) >= 0, comes at least that least times the share of h within the latency: none is
    accused of which a quarter is there by then, as of a delay up to the latency, or of a
    first-order lag of up to three times of it.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        tolerance: Array,
        latency: Latency,
        noise: Mapping[str, float],
    ) -> None:
        """tolerance: (J,) distance (rad or m) from the command that tells nothing.

        latency: of the joints; learns from this motion. noise: standard deviation of readings.

        The joints rest until the trajectory begins.
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
        self._behind = np.inf  # s, of the stamps' clock and the way of the readings

    def check(self, time: float, measured: Positions, age: float) -> Deviation | None:
        """Look at the joints `time` seconds after the start, by a reading `age` seconds old.

        Returns a joint that stalls, or None. The clock of the readings' stamps may be another one.
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
        """(J,) which joints have left where they rested."""
        return np.abs(self._readings[-1] - self._readings[0]) > 0.5 * self._least

    def _learn(self) -> None:
        """Note the latency of joints that have begun to move."""
        for number in np.flatnonzero(self._begun() & np.isfinite(self._onsets)):
            late = float(self._stamps[-1] + self._behind - self._onsets[number])
            self._latency.note(self._trajectory.joints[number], late)
            self._late = max(self._late, late)
            self._onsets[number] = np.inf

    def _shortage(self) -> Array:
        """(J,) how much less than the accepted share of its way a joint came; 0: it came on."""
        now = self._stamps[-1] + self._behind
        joints = self._trajectory.joints
        # A robot that stands as a whole hurts nobody: its command may be on its way still.
        late = self._late if np.isfinite(self._late) else self._latency.longest
        in_time = self._delays[:, None] <= [self._latency.bound(name, late) for name in joints]
        worst = np.zeros(len(joints))
        for window in _WINDOWS[: 1 + np.searchsorted(_WINDOWS, now)]:
            before = max(bisect_right(self._stamps, self._stamps[-1] - window) - 1, 0)
            # Before the first reading all joints rested.
            length = max(window, self._stamps[-1] - self._stamps[before])
            ways = self._command(now - self._delays) - self._command(now - self._delays - length)
            # What is still to come of earlier commands must not lead the joint the other way.
            forth, back = (ways >= 0).all(axis=0), (ways <= 0).all(axis=0)
            least = np.where(in_time, np.abs(ways), np.inf).min(axis=0)
            came = (self._readings[-1] - self._readings[before]) * np.where(forth, 1, -1)
            told = (forth | back) & (least >= self._least)
            worst = np.maximum(worst, np.where(told, _SHARE * least - came, 0.0))
        return worst

    def _command(self, times: Array) -> Array:
        """(M, J) commanded positions at (M,) times, by the table."""
        steps = np.clip(np.round(times / _STEP), 0, len(self._table) - 1)
        return self._table[steps.astype(int)]
