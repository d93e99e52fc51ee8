"""The buffer of received transforms."""

from __future__ import annotations

import math
import threading
import time as wall_time
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.clock import Clock
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from tf2_ros.cache import StaticCache, Stored, TimeCache
from tf2_ros.exceptions import (
    ConnectivityException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)
from tf2_ros.rigid import IDENTITY, Rigid

_MAX_DEPTH = 1000
_POLL_S = 0.02


class Buffer:
    """Keeps transforms and answers look-ups between any two frames of one tree."""

    def __init__(self, cache_time: Duration | None = None, node: Node | None = None) -> None:
        """Keep `cache_time` (default 10 s) of transforms."""
        self._span = 10_000_000_000 if cache_time is None else cache_time.nanoseconds
        self._caches: dict[str, StaticCache | TimeCache] = {}
        self._frames: set[str] = set()
        self._lock = threading.RLock()
        self._new_data_callbacks: list[Callable[[], None]] = []
        self.clock = Clock() if node is None else node.get_clock()

    def clear(self) -> None:
        """Forget all transforms that are not static."""
        with self._lock:
            self._caches = {
                name: cache
                for name, cache in self._caches.items()
                if isinstance(cache, StaticCache)
            }

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Add a transform; one with NaN, no frame name or no unit quaternion is ignored."""
        self._insert(transform, authority, static=False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Add a transform that holds at every time."""
        self._insert(transform, authority, static=True)

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration | None = None
    ) -> TransformStamped:
        """Return the transform that maps points in `source_frame` into `target_frame` at `time`.

        time: 0 gives the newest common one. timeout: how long to wait for it; the default waits not
        at all.
        Raises a TransformException of the kind at fault.
        """
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def lookup_transform_core(
        self, target_frame: str, source_frame: str, time: Time
    ) -> TransformStamped:
        """Return the transform of `lookup_transform` without waiting."""
        with self._lock:
            self._check_frame("lookupTransform argument target_frame", target_frame)
            self._check_frame("lookupTransform argument source_frame", source_frame)
            stamp = _nanoseconds(time)
            if stamp == 0:
                stamp = self._latest_common_time(target_frame, source_frame)
            transform = self._between(target_frame, source_frame, stamp)
        return _to_message(transform, target_frame, source_frame, stamp)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration | None = None,
    ) -> TransformStamped:
        """Return the transform from the source frame at one time into the target frame at another.

        `fixed_frame` is the frame taken as constant between the two times.
        """
        to_fixed = self.lookup_transform(fixed_frame, source_frame, source_time, timeout)
        to_target = self.lookup_transform(target_frame, fixed_frame, target_time, timeout)
        transform = _from_message(to_target) @ _from_message(to_fixed)
        stamp = _nanoseconds(to_target.header.stamp)
        return _to_message(transform, target_frame, source_frame, stamp)

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: Duration | None = None,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Return whether the transform is known within `timeout`, with the reason on request."""
        wait = 0.0 if timeout is None else timeout.nanoseconds / 1e9
        deadline = wall_time.monotonic() + wait
        result = self.can_transform_core(target_frame, source_frame, time)
        while not result[0] and wall_time.monotonic() < deadline:
            wall_time.sleep(_POLL_S)
            result = self.can_transform_core(target_frame, source_frame, time)
        return result if return_debug_tuple else result[0]

    def can_transform_core(
        self, target_frame: str, source_frame: str, time: Time
    ) -> tuple[bool, str]:
        """Return whether the transform is known now, and why not."""
        try:
            self.lookup_transform_core(target_frame, source_frame, time)
        except TransformException as error:
            return False, str(error)
        return True, ""

    def wait_for_transform_async(
        self, target_frame: str, source_frame: str, time: Time
    ) -> Future[TransformStamped]:
        """Return a future of the transform, done as soon as it can be looked up."""
        future: Future[TransformStamped] = Future()

        def resolve() -> None:
            if not future.done() and self.can_transform_core(target_frame, source_frame, time)[0]:
                future.set_result(self.lookup_transform_core(target_frame, source_frame, time))

        def forget(_: Future[TransformStamped]) -> None:
            with self._lock:
                if resolve in self._new_data_callbacks:
                    self._new_data_callbacks.remove(resolve)

        with self._lock:
            self._new_data_callbacks.append(resolve)
        future.add_done_callback(forget)
        resolve()
        return future

    async def lookup_transform_async(
        self, target_frame: str, source_frame: str, time: Time
    ) -> TransformStamped:
        """Return the transform in a coroutine, which waits without blocking the executor."""
        return await self.wait_for_transform_async(target_frame, source_frame, time)

    def get_latest_common_time(self, target_frame: str, source_frame: str) -> Time:
        """Return the newest time at which all transforms between the two frames are known."""
        with self._lock:
            return Time(nanoseconds=self._latest_common_time(target_frame, source_frame))

    def all_frames_as_string(self) -> str:
        """Return one line a frame, for humans."""
        with self._lock:
            return "".join(
                f"Frame {name} exists with parent {cache.get(0).parent}.\n"
                for name, cache in sorted(self._caches.items())
            )

    def _insert(self, message: TransformStamped, authority: str, *, static: bool) -> None:
        parent = message.header.frame_id.removeprefix("/")
        child = message.child_frame_id.removeprefix("/")
        transform = _from_message(message)
        fault = _fault(parent, child, transform)
        if fault:
            get_logger("tf2_buffer").error(
                f'Ignoring the transform of "{child}" in "{parent}" from "{authority}": {fault}'
            )
            return
        with self._lock:
            self._frames |= {parent, child}
            cache = self._caches.get(child)
            if cache is None or isinstance(cache, StaticCache) != static:
                cache = StaticCache() if static else TimeCache(self._span)
                self._caches[child] = cache
            cache.insert(_nanoseconds(message.header.stamp), Stored(parent, transform))
            callbacks = list(self._new_data_callbacks)
        for callback in callbacks:
            callback()

    def _check_frame(self, what: str, frame: str) -> None:
        if not frame or frame.startswith("/"):
            reason = "cannot start with a '/'" if frame else "cannot be empty"
            raise InvalidArgumentException(
                f'Invalid argument "{frame}" passed to {what} - in tf2 frame_ids {reason}'
            )
        if frame not in self._frames:
            raise LookupException(f'"{frame}" passed to {what} does not exist. ')

    def _ancestors(self, frame: str, stamp: int) -> tuple[list[str], Exception | None]:
        """Return `frame` and its ancestors known at `stamp`, and why the chain ends early."""
        chain = [frame]
        while chain[-1] in self._caches:
            try:
                chain.append(self._caches[chain[-1]].get(stamp).parent)
            except TransformException as error:
                return chain, error
            if len(chain) > _MAX_DEPTH:
                raise LookupException("The tf tree is invalid because it contains a loop.")
        return chain, None

    def _path(self, target: str, source: str, stamp: int) -> tuple[list[str], list[str]]:
        """Return the frames below the common ancestor: (from the target up, from the source up)."""
        up, up_error = self._ancestors(target, stamp)
        down, down_error = self._ancestors(source, stamp)
        below = set(up)
        common = next((frame for frame in down if frame in below), None)
        if common is None:
            error = up_error or down_error
            if error is not None:
                raise type(error)(
                    f"{error}, when looking up transform from frame [{source}] to frame [{target}]"
                )
            raise ConnectivityException(
                f"Could not find a connection between '{target}' and '{source}' because they are "
                "not part of the same tree.Tf has two or more unconnected trees."
            )
        return up[: up.index(common)], down[: down.index(common)]

    def _latest_common_time(self, target: str, source: str) -> int:
        up, down = self._path(target, source, 0)
        stamps = [self._caches[frame].latest for frame in up + down]
        return min((stamp for stamp in stamps if stamp is not None), default=0)

    def _between(self, target: str, source: str, stamp: int) -> Rigid:
        up, down = self._path(target, source, stamp)
        return self._climb(up, stamp).inverse() @ self._climb(down, stamp)

    def _climb(self, frames: list[str], stamp: int) -> Rigid:
        transform = IDENTITY
        for frame in frames:
            transform = self._caches[frame].get(stamp).transform @ transform
        return transform


def _fault(parent: str, child: str, transform: Rigid) -> str:
    """Return why a transform cannot be used, or an empty text."""
    if not parent or not child:
        return "a frame name is empty"
    if parent == child:
        return "a frame cannot be its own parent"
    if any(math.isnan(value) for part in transform for value in part):
        return "it has a NaN"
    # The tolerance of tf2, on the squared length.
    if abs(sum(value * value for value in transform.rotation) - 1) > 10e-3:
        return "its quaternion is not normalized"
    return ""


def _nanoseconds(time: Any) -> int:
    """Return the nanoseconds of an rclpy Time or a builtin_interfaces Time."""
    if hasattr(time, "nanoseconds"):
        return int(time.nanoseconds)
    return int(time.sec) * 1_000_000_000 + int(time.nanosec)


def _from_message(message: TransformStamped) -> Rigid:
    t, q = message.transform.translation, message.transform.rotation
    return Rigid((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))


def _to_message(transform: Rigid, target: str, source: str, stamp: int) -> TransformStamped:
    message = TransformStamped()
    message.header.stamp = Time(nanoseconds=stamp).to_msg()
    message.header.frame_id = target
    message.child_frame_id = source
    t, q = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = transform.translation
    q.x, q.y, q.z, q.w = transform.rotation
    return message
