"""The clouds of one camera: the newest whose transform is known, and counts of the others."""

from __future__ import annotations

import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import PointCloud2
from tf2_ros import TransformException

from autourdf_ros.commanding.watching.heartbeat import Heartbeat
from autourdf_ros.commanding.watching.machine_load import busyness
from autourdf_ros.data.bags.topics import read_header
from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription

Lookup = Callable[[str, Time], NDArray[np.float64]]

# A cloud that waits for its transform is replaced by one that is newer by this time (s).
_PATIENCE = 1.0
_LATENCIES = 50

QUICKEST, SLOWEST = 2.0, 30.0
"""Bounds (s) of the silence of a camera that its measured gaps allow. Frames are taken of a robot
that stands still, so that a camera may be silent for as long while it moves. On a busy machine the
first is longer, as that of readings is (`reading_watch.SHORTEST`)."""


@dataclass(frozen=True)
class PlacedCloud:
    """A cloud whose transform is known.

    Attributes:
        stamp: of the cloud (s).
        data: the message in CDR.
        transform: (4, 4) from the cloud's frame to the fixed frame at the stamp.
    """

    stamp: float
    data: bytes
    transform: NDArray[np.float64]


@dataclass(frozen=True)
class CameraCounts:
    """Counts of the clouds of a camera so far.

    Attributes:
        received: clouds that arrived.
        replaced: clouds that a newer one replaced before they became part of a frame.
        lost: clouds that the middleware lost.
        latency: median time from stamp to arrival of the latest clouds (s); NaN: none came.
    """

    received: int
    replaced: int
    lost: int
    latency: float


class Camera:
    """Keeps the newest cloud of a camera, serialized, since most clouds are not used.

    Attributes:
        topic: of the clouds.
        transform_problem: why the newest cloud has no transform; empty where it has one.
        damage: why the newest message is no cloud; empty where it is one.
        frame_id: of the newest cloud.
        subscription: to the topic.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        reliability: str,
        timeout: float,
        lookup: Lookup,
        kind: type = PointCloud2,
    ) -> None:
        """Create a camera.

        Args:
            node: the owner.
            topic: of the clouds.
            reliability: see `MatchedSubscription`.
            timeout: longest time (s) without a new cloud, see `Heartbeat`.
            lookup: returns the (4, 4) transform from a frame to the fixed frame at a time; raises
                TransformException.
            kind: type of the messages: clouds, or images.
        """
        self._what = "cloud" if kind is PointCloud2 else "image"
        self.topic = topic
        self.transform_problem = ""
        self.damage = ""
        self.frame_id = ""
        self._node = node
        self._lookup = lookup
        self._lock = threading.Lock()
        self._placed: PlacedCloud | None = None
        self._waiting: tuple[int, str, bytes] | None = None
        self._stamp: int | None = None  # ns, of the newest cloud
        # Of clouds with a stamp of their own.
        self._heartbeat = Heartbeat(timeout, SLOWEST, QUICKEST, busyness)
        self._received = self._replaced = 0
        self._latencies: deque[float] = deque(maxlen=_LATENCIES)
        self.subscription = MatchedSubscription(
            node, kind, topic, self._receive, depth=2, reliability=reliability, raw=True
        )

    @property
    def known(self) -> bool:
        """Whether enough clouds came to know their period."""
        return self._heartbeat.known

    def problem(self) -> str:
        """Return why the camera cannot be used, in a few words; empty where it can."""
        names = sorted(self.subscription.publishers)
        if len(names) > 1:
            publishers = ", ".join(names)
            return f"{len(names)} nodes publish {self.topic} ({publishers}); accepted is one"
        if self.damage:
            return self.damage
        now = time.monotonic()
        if names and not self._heartbeat.silent(now):
            return ""
        age = self._heartbeat.age(now)
        if names and self.subscription.age < age:
            return f"{self.topic} repeats the same {self._what} for {age:.1f} s: it is frozen"
        return self.subscription.problem()

    @property
    def newest(self) -> PlacedCloud | None:
        """The newest cloud whose transform is known."""
        with self._lock:
            self._place()
            return self._placed

    @property
    def newest_stamp(self) -> float | None:
        """Stamp (s) of the newest cloud, placed or not."""
        with self._lock:
            if self._waiting is not None:
                return self._waiting[0] / 1e9
            return self._placed.stamp if self._placed is not None else None

    @property
    def counts(self) -> CameraCounts:
        """Counts of the clouds."""
        with self._lock:
            latency = median(self._latencies) if self._latencies else float("nan")
            lost = self.subscription.lost
            return CameraCounts(self._received, self._replaced, lost, latency)

    def _receive(self, data: bytes) -> None:
        try:
            stamp, frame_id = read_header(data)
        except (struct.error, IndexError, ValueError) as error:
            self.damage = f"{self.topic} has bytes that are no {self._what}: {error}"
            return
        if stamp < 0:
            self.damage = f"{self.topic} is stamped {stamp / 1e9:.3f} s; accepted is 0 or later"
            return
        self.damage = ""
        self.frame_id = frame_id
        latency = (self._node.get_clock().now().nanoseconds - stamp) / 1e9
        with self._lock:
            self._received += 1
            if stamp == self._stamp:
                return
            self._stamp = stamp
            self._heartbeat.beat(time.monotonic())
            self._latencies.append(latency)
            self._place()
            if self._waiting is not None:
                self._replaced += 1
                # Transforms may come later than clouds: if the newest always replaced the
                # waiting one, none would ever be placed.
                if 0 <= stamp - self._waiting[0] < _PATIENCE * 1e9:
                    return
            self._waiting = stamp, frame_id, data
            self._place()

    def _place(self) -> None:
        if self._waiting is None:
            return
        stamp, frame_id, data = self._waiting
        try:
            transform = self._lookup(
                frame_id, Time(nanoseconds=stamp, clock_type=ClockType.ROS_TIME)
            )
        except (TransformException, InputError) as error:
            self.transform_problem = f"{frame_id}: {error}"
            return
        self.transform_problem = ""
        self._replaced += self._placed is not None
        self._placed = PlacedCloud(stamp / 1e9, data, transform)
        self._waiting = None
