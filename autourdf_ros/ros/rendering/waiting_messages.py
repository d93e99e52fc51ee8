"""Messages of one topic that wait until what belongs to them is known."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription
from autourdf_ros.ros.rendering.unknown_error import UnknownError

_MOST = 5


@dataclass(frozen=True)
class _Waiting:
    """A message, and when it arrived (s)."""

    message: Any
    arrival: float


class WaitingMessages:
    """Hands over the newest message that can be used; those before it are left out.

    Attributes:
        subscription: To the topic.
        problem: Why the last message was not used; empty where it was.
        used: Number of messages that were handed over.
        skipped: Number of those that newer ones overtook.
        lost: Number of those for which something stayed unknown.
    """

    def __init__(
        self,
        node: Node,
        kind: type,
        topic: str,
        use: Callable[[Any], None],
        patience: float,
        reliability: str,
    ) -> None:
        """Subscribe.

        Args:
            node: The owner.
            kind: Of the messages.
            topic: Of the messages.
            use: Takes a message, or raises UnknownError or InputError.
            patience: How long a message may wait (s).
            reliability: See `MatchedSubscription`.
        """
        self._use, self._patience = use, patience
        self._waiting: deque[_Waiting] = deque()
        self.problem = ""
        self.used = self.skipped = self.lost = 0
        self.subscription = MatchedSubscription(
            node, kind, topic, self._receive, depth=2, reliability=reliability
        )

    def serve(self) -> None:
        """Hand over what can be used now."""
        for number in reversed(range(len(self._waiting))):
            one = self._waiting[number]
            late = time.monotonic() - one.arrival > self._patience
            try:
                self._use(one.message)
            except (UnknownError, InputError) as error:
                if isinstance(error, UnknownError) and error.for_now and not late:
                    continue
                self.problem = str(error)
                self.lost += 1
                del self._waiting[number]
                continue
            self.problem = ""
            self.used += 1
            self.skipped += number
            for _ in range(number + 1):
                self._waiting.popleft()
            return

    def _receive(self, message: Any) -> None:
        # The oldest stays: where joint states are late, none would ever be old enough otherwise.
        if len(self._waiting) >= _MOST:
            self._waiting.pop()
            self.skipped += 1
        self._waiting.append(_Waiting(message, time.monotonic()))
