"""A subscription that adopts the quality of service of its publishers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
)

RELIABILITIES = ("auto", "reliable", "best_effort")


class MatchedSubscription:
    """Subscribes once a publisher is there, as reliable as all publishers of the topic offer.

    The owner has to call `connect` periodically until it returns True.

    Attributes:
        topic: resolved name.
        lost: number of messages that the middleware reports as lost.
    """

    def __init__(
        self,
        node: Node,
        kind: type,
        topic: str,
        callback: Callable[[Any], None],
        *,
        depth: int,
        reliability: str = "auto",
        raw: bool = False,
    ) -> None:
        """Create it without subscribing.

        Args:
            node: the owner.
            kind: type of the messages.
            topic: name, not resolved.
            callback: receives the messages.
            depth: of the queue.
            reliability: auto, or reliable or best_effort to force it.
            raw: whether to hand over serialized messages.
        """
        self.topic = node.resolve_topic_name(topic)
        self._node = node
        self._kind = kind
        self._callback = callback
        self._depth = depth
        self._reliability = reliability
        self._raw = raw
        self._profile: QoSProfile | None = None
        self._arrival = -float("inf")
        self.lost = 0

    @property
    def age(self) -> float:
        """Seconds since the last message; infinite before the first."""
        return time.monotonic() - self._arrival

    @property
    def publishers(self) -> list[str]:
        """Names of the nodes that publish the topic; a killed node counts for some time."""
        return [info.node_name for info in self._publishers()]

    def connect(self) -> bool:
        """Subscribe if there is a publisher now. Return whether it is subscribed."""
        if self._profile is None:
            offers = [info.qos_profile for info in self._publishers()]
            if not offers:
                return False
            best_effort = any(
                offer.reliability == ReliabilityPolicy.BEST_EFFORT for offer in offers
            )
            if self._reliability != "auto":
                best_effort = self._reliability == "best_effort"
            self._profile = QoSProfile(
                history=HistoryPolicy.KEEP_LAST,
                depth=self._depth,
                durability=DurabilityPolicy.VOLATILE,
                reliability=(
                    ReliabilityPolicy.BEST_EFFORT if best_effort else ReliabilityPolicy.RELIABLE
                ),
            )
            self._node.create_subscription(
                self._kind,
                self.topic,
                self._receive,
                self._profile,
                raw=self._raw,
                event_callbacks=SubscriptionEventCallbacks(message_lost=self._on_lost),
            )
        return True

    def problem(self) -> str:
        """Return why no message comes, in a few words; valid while none comes."""
        publishers = self._publishers()
        if not publishers:
            return f"nothing publishes {self.topic}"
        expected = self._kind.__module__.split(".")[0] + "/msg/" + self._kind.__name__
        for info in publishers:
            if info.topic_type != expected:
                return f"{self.topic} has type {info.topic_type}; accepted is {expected}"
            if self._profile is not None:
                compatibility, reason = qos_check_compatible(info.qos_profile, self._profile)
                if compatibility == QoSCompatibility.ERROR:
                    return f"{self.topic} is published by {info.node_name} with a quality of " + (
                        f"service that does not match: {reason.strip()}"
                    )
        age = lasting(self.age)
        return f"no message on {self.topic} {age}, though {publishers[0].node_name} publishes it"

    def _publishers(self) -> list[Any]:
        return list(self._node.get_publishers_info_by_topic(self.topic))

    def _on_lost(self, event: Any) -> None:
        self.lost = event.total_count

    def _receive(self, message: Any) -> None:
        self._arrival = time.monotonic()
        self._callback(message)


def lasting(age: float) -> str:
    """Return for how long something did not come, as words after "no ...": `age` in seconds."""
    return f"for {age:.1f} s" if math.isfinite(age) else "yet"
