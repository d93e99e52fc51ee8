"""Lets a request wait until the cell is ready."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.node import Node
from rclpy.task import Future

from autourdf_ros.ros.common.parameters import Parameters

_PERIOD = 0.1  # s between two checks

LONGEST = 10.0
"""Seconds that a request waits, by default: periods are measured by then, a node has been found."""


def declare_patience(parameters: Parameters) -> float:
    """Declare how long requests wait (s)."""
    return parameters.number(
        "start_timeout",
        LONGEST,
        "longest wait of ~/start, ~/home and ~/resume_recording for what is missing (s)",
        0.0,
        600.0,
    )


class Readiness:
    """Waits for what a motion needs, while the executor does other things.

    Attributes:
        missing: returns what is missing now, each in a few words.
        waiting: number of requests that wait.
    """

    def __init__(self, node: Node, missing: Callable[[], list[str]], longest: float) -> None:
        """Create it.

        Args:
            node: the owner.
            missing: returns what is missing, each in a few words.
            longest: time (s) after which a request is refused.
        """
        self.missing = missing
        self._longest = longest
        self._next: Future[None] | None = None
        self._cancelled = ""
        self.waiting = 0
        node.create_timer(_PERIOD, self._wake)

    def cancel(self, reason: str) -> bool:
        """Refuse the requests that wait; return whether there were any."""
        self._cancelled = reason if self.waiting else ""
        return bool(self.waiting)

    async def problem(self) -> str:
        """Return what is still missing after the wait; empty once nothing is.

        Callbacks that await it need a callback group of their own, which lets others in meanwhile.
        """
        began = time.monotonic()
        self.waiting += 1
        try:
            while missing := self.missing():
                if self._cancelled:
                    return self._cancelled
                if time.monotonic() - began >= self._longest:
                    waited = f" (waited for {self._longest:g} s: start_timeout)"
                    return "; ".join(missing) + (waited if self._longest else "")
                self._next = self._next or Future()
                await self._next
            return self._cancelled
        finally:
            self.waiting -= 1
            self._cancelled = self._cancelled if self.waiting else ""

    def _wake(self) -> None:
        waited, self._next = self._next, None
        if waited is not None:
            waited.set_result(None)
