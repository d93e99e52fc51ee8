"""Takes frames of a robot that stands still, and repeats a frame that was rejected."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from autourdf_ros.commanding.session.cell import Cell, View
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.session.standstill import POLL, Standstill
from autourdf_ros.data.rejection import Rejection

_NEXT = 1e-4  # s, after a stamp, to be sure of another one


class FrameTaking:
    """Records clouds of a robot that stood still from before their stamps until after them."""

    def __init__(
        self, cell: Cell, settings: SessionSettings, rejected: Callable[[Rejection], None]
    ) -> None:
        """Create it; rejected receives the reason of every view that did not become a frame."""
        self._cell = cell
        self._settings = settings
        self._rejected = rejected
        self._standstill = Standstill(cell, settings)

    def take(self) -> None:
        """Record a frame. Raise MotionStopped with the reason where that is not possible."""
        since = self._standstill.newest()[0] - self._settings.still_window
        for tries in itertools.count(1):
            since, view = self._still_view(since)
            rejection = self._recorded(view, since)
            if rejection is None:
                return
            self._rejected(rejection)
            if tries > self._settings.retakes:
                raise MotionStopped(f"no frame could be taken in {tries} tries: {rejection.text}")
            since = view.stamp + _NEXT

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

    def _recorded(self, view: View, since: float) -> Rejection | None:
        """Return why the view did not become a frame, or None when it is on disk."""
        outcome = self._cell.record(view, self._cell.history.mean(since, view.stamp))
        while not outcome.done():
            self._standstill.check_fault()
            self._cell.wait(POLL)
        self._standstill.check_fault()
        return outcome.result()

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
