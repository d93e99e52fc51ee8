"""Serves an action that works on one goal at a time.

The work runs in a thread or a process of its own. The node reports on it by a timer, and concludes
the goal; meanwhile the executor does other things.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future

if TYPE_CHECKING:  # rclpy of some distributions has no generic goal handles
    Handle: TypeAlias = ServerGoalHandle[Any, Any, Any]

CANCELLED = "the goal was cancelled"
"""Why work ends whose goal was cancelled."""


class GoalServer:
    """An action whose results have the fields `success` and `message`."""

    def __init__(
        self,
        node: Node,
        action: Any,
        name: str,
        begin: Callable[[Any, Callable[[], bool]], Any],
        stop: Callable[[str], object],
        busy: Callable[[], str],
    ) -> None:
        """Offer the action.

        Args:
            node: the owner.
            action: its type.
            name: of the action.
            begin: receives a goal, and what returns whether it was cancelled. Begins the work and
                returns None, or the result where nothing begins. May be a coroutine.
            stop: ends the work safely, for a reason; `conclude` has to follow soon.
            busy: returns why no goal can be accepted now; empty: one can.
        """
        self._node, self._begin, self._stop, self._busy = node, begin, stop, busy
        self._handle: Handle | None = None
        self._begun = False  # an accepted goal begins a little later
        self._ended: Future[Any] | None = None
        self._reported: Any = None
        self._server = ActionServer(
            node,
            action,
            name,
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )
        self.name = name

    @property
    def working(self) -> bool:
        """Whether a goal is worked on."""
        return self._handle is not None

    @property
    def pending(self) -> bool:
        """Whether the work of a goal has begun, and `conclude` has not followed."""
        return self._ended is not None and not self._ended.done()

    def report(self, feedback: Any) -> None:
        """Send feedback where a goal has begun, unless it is that of before."""
        if self._handle is not None and self._begun and feedback != self._reported:
            self._reported = feedback
            self._handle.publish_feedback(feedback)

    def conclude(self, result: Any) -> None:
        """End the goal whose work has begun; nothing where there is none."""
        if self._ended is not None and not self._ended.done():  # pending, as mypy sees it
            self._ended.set_result(result)

    def destroy(self) -> None:
        """Withdraw the action."""
        self._server.destroy()

    def _on_goal(self, _: Any) -> GoalResponse:
        busy = f"a goal is worked on by {self.name}" if self.working else self._busy()
        busy = getattr(self._node, "refusal", "") or busy  # of a managed node that is not active
        if busy:
            self._node.get_logger().warning(f"a goal of {self.name} is refused: {busy}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: Handle) -> None:
        self._handle, self._reported = handle, None
        handle.execute()

    async def _execute(self, handle: Handle) -> Any:
        """Begin, and wait for the end while the executor does other things."""
        self._begun = True
        try:
            result = self._begin(handle.request, lambda: handle.is_cancel_requested)
            if hasattr(result, "__await__"):
                result = await result
            if result is None:
                self._ended = Future()
                if handle.is_cancel_requested:  # while it began
                    self._stop(CANCELLED)
                result = await self._ended
            if result.success:
                handle.succeed()
            elif handle.is_cancel_requested:
                handle.canceled()
            else:
                handle.abort()
            return result
        finally:
            self._handle = self._ended = None
            self._begun = False

    def _on_cancel(self, _: Handle) -> CancelResponse:
        self._stop(CANCELLED)
        return CancelResponse.ACCEPT
