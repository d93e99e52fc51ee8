"""Takes views of a robot that stands still, and waits for the frames that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from autourdf_ros.commanding.session.cell import Cell, View
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.session.standstill import POLL, Standstill
from autourdf_ros.data.rejection import Rejection

_NEXT = 1e-4  # s, after a stamp, to be sure of another one


class FrameTaking:
    """Takes clouds of a robot that stood still from before their stamps until after them.

    Cleaning, checking and writing a frame takes as long as a small motion, and needs no robot:
    the caller may move it between `take` and `accepted`.
    """

    def __init__(
        self, cell: Cell, settings: SessionSettings, rejected: Callable[[Rejection], None]
    ) -> None:
        """Create it; rejected receives the reason of every view that did not become a frame."""
        self._cell = cell
        self._settings = settings
        self._rejected = rejected
        self._standstill = Standstill(cell, settings)
        self._outcome: Future[Rejection | None] | None = None
        self._stamp = 0.0  # s, of the view taken last
        self._tries = 0

    @property
    def pending(self) -> bool:
        """Whether a view was taken of which `accepted` has not said what became of it."""
        return self._outcome is not None

    def take(self) -> None:
        """Take a view, of which a frame is made from now on. Raise MotionStopped without one."""
        self._tries = 0
        self._take(self._resting())

    def accepted(self) -> bool:
        """Wait until the frame is on disk (True), or was rejected (False).

        Raises:
            MotionStopped: the cell reports a fault, or the frame was rejected too often.
        """
        assert self._outcome is not None
        while not self._outcome.done():
            self._standstill.check_fault()
            self._cell.wait(POLL)
        self._standstill.check_fault()
        rejection, self._outcome = self._outcome.result(), None
        if rejection is None:
            return True
        self._rejected(rejection)
        if self._tries > self._settings.retakes:
            raise MotionStopped(f"no frame could be taken in {self._tries} tries: {rejection.text}")
        return False

    def retake(self) -> None:
        """Take views, where the rejected one was taken, until one is a frame on disk.

        Raises:
            MotionStopped: as `take` and `accepted`.
        """
        while True:
            self._take(max(self._resting(), self._stamp + _NEXT))
            if self.accepted():
                return

    def _take(self, earliest: float) -> None:
        since, view = self._still_view(earliest)
        self._stamp, self._tries = view.stamp, self._tries + 1
        self._outcome = self._cell.record(view, self._cell.history.mean(since, view.stamp))

    def _resting(self) -> float:
        """Return since when (s) the robot has stood still, which the caller made sure of."""
        return self._standstill.newest()[0] - self._settings.still_window

    def _still_view(self, since: float) -> tuple[float, View]:
        """Return the time (s) since which the robot stood still, and clouds stamped after it."""
        cell, settings = self._cell, self._settings
        began, earliest = cell.now(), since
        view: View | None = None
        moved: Rejection | None = None
        while True:
            self._standstill.check_fault()
            # A view waits for the readings of its time: newer clouds may be ahead of them for ever.
            view = view or cell.view(earliest)
            newest = self._standstill.newest()[0]
            if view is not None and newest >= view.stamp:
                fastest = cell.history.fastest(since, view.stamp)
                if fastest is not None and fastest[1] <= settings.still_velocity:
                    return since, view
                if fastest is not None:
                    moved, since = self._motion(*fastest), newest
                    self._rejected(moved)
                # Too few readings lie between `since` and these clouds: later clouds replace them.
                earliest, view = max(since, view.stamp + _NEXT), None
            if cell.now() > began + settings.view_timeout:
                late = _late(view.stamp - newest) if view else cell.missing_views(earliest)
                problems = "; ".join(filter(None, [late, moved.text if moved else ""]))
                # Nothing is missing where the last cloud came between the two calls.
                if problems:
                    raise MotionStopped(
                        f"no clouds of the still robot within {settings.view_timeout:g} s: "
                        f"{problems}"
                    )
            cell.wait(POLL)

    def _motion(self, joint: str, speed: float) -> Rejection:
        return Rejection(
            "motion",
            f"joint {joint} moved at {speed:.3f} rad/s (or m/s) while the view was taken; accepted "
            f"is {self._settings.still_velocity:g} (still_velocity)",
        )


def _late(gap: float) -> str:
    return (
        f"the clouds are stamped {gap:.2f} s after the newest joint readings: do the clocks agree?"
    )
