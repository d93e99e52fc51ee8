"""Whether, and where, the robot of a cell stands still."""

from __future__ import annotations

from autourdf_ros.commanding.session.cell import Cell
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.session.settings import SessionSettings

POLL = 0.01
"""Seconds between two checks of the cell."""

_SETTLING = 1.5


class Standstill:
    """Waits for the robot to stand still, as the settings define it."""

    def __init__(self, cell: Cell, settings: SessionSettings) -> None:
        self._cell = cell
        self._settings = settings

    def newest(self) -> tuple[float, dict[str, float]]:
        """Return stamp (s) and positions of the newest reading. Raise MotionStopped without one."""
        newest = self._cell.history.latest
        if newest is None:
            raise MotionStopped("no joint readings")
        return newest

    def check_fault(self) -> None:
        """Raise MotionStopped where the cell reports a fault."""
        reason = self._cell.fault()
        if reason is not None:
            raise MotionStopped(reason)

    def position(self) -> dict[str, float]:
        """Return the mean position at rest. Raise MotionStopped if the robot does not rest."""
        began = self._cell.now()
        while True:
            self.check_fault()
            since = self.since(began)
            newest = self._cell.history.latest
            if since is not None and newest is not None:
                return self._cell.history.mean(since, newest[0])
            if self._cell.now() > began + self._settings.still_timeout:
                raise MotionStopped(
                    "the robot does not stand still, though nothing was commanded to it"
                )
            self._cell.wait(POLL)

    def since(self, earliest: float) -> float | None:
        """Return the start (s) of the latest still window if not before `earliest`, or None."""
        newest = self._cell.history.latest
        if newest is None:
            return None
        since = newest[0] - self._settings.still_window
        calm = since >= earliest and self._cell.history.still(
            since, newest[0], self._settings.still_velocity
        )
        return since if calm else None

    def comes_to_rest(self, braking: float) -> bool:
        """Return whether the robot rests soon after `braking` (s); true where no reading came."""
        began = self._cell.now()
        end = began + braking + _SETTLING + self._settings.still_window
        while self._cell.now() < end:
            self._cell.wait(POLL)
            if self.since(began) is not None:
                return True
        newest = self._cell.history.latest
        return newest is None or newest[0] < end - self._settings.still_window
