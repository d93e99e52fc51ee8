"""A buffer of transforms that knows when they were stamped: what lies between is interpolated."""

from __future__ import annotations

import math
import threading
from bisect import bisect_left, insort

from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from tf2_ros import Buffer

CACHE = 10 * 10**9
"""ns that stamps are kept for, as long as tf2 keeps transforms."""


class StampedBuffer(Buffer):
    """Also returns the time between the transforms that one is interpolated from."""

    def __init__(self) -> None:
        """Create an empty buffer, with tf2's own length."""
        super().__init__()
        self._parents: dict[str, str] = {}
        self._stamps: dict[str, list[int]] = {}
        self._lock = threading.Lock()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Keep a transform, and its stamp."""
        super().set_transform(transform, authority)
        stamp = transform.header.stamp.sec * 10**9 + transform.header.stamp.nanosec
        child = _name(transform.child_frame_id)
        with self._lock:
            self._parents[child] = _name(transform.header.frame_id)
            stamps = self._stamps.setdefault(child, [])
            if stamps and abs(stamp - stamps[-1]) > CACHE:
                stamps.clear()  # the clock was set
            insort(stamps, stamp)
            del stamps[: bisect_left(stamps, stamps[-1] - CACHE)]

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Keep a transform that holds at every time."""
        super().set_transform_static(transform, authority)
        child = _name(transform.child_frame_id)
        with self._lock:
            self._parents[child] = _name(transform.header.frame_id)
            self._stamps.pop(child, None)

    def apart(self, target: str, source: str, time: Time) -> float:
        """Return the longest time (s) between two transforms around a time, from source to target.

        0 where each has a transform of that time or holds at every time; infinite where one is not
        known on both sides.
        """
        with self._lock:
            up, down = self._chain(_name(target)), self._chain(_name(source))
            moving = (set(up) ^ set(down)) & set(self._stamps)
            return max((_apart(self._stamps[one], time.nanoseconds) for one in moving), default=0.0)

    def _chain(self, frame: str) -> list[str]:
        chain = [frame]
        while (above := self._parents.get(chain[-1])) is not None and above not in chain:
            chain.append(above)
        return chain


def _apart(stamps: list[int], stamp: int) -> float:
    after = bisect_left(stamps, stamp)
    if after < len(stamps) and stamps[after] == stamp:
        return 0.0
    if not 0 < after < len(stamps):
        return math.inf
    return (stamps[after] - stamps[after - 1]) / 1e9


def _name(frame: str) -> str:
    return frame.removeprefix("/")
