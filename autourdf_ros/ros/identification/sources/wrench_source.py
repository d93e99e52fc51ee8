"""Wrenches of a sensor at the wrist, with the sensor's pose at the time of each."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from geometry_msgs.msg import WrenchStamped
from numpy.typing import NDArray
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.time import Time
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState
from tf2_ros import TransformException

from autourdf_ros.commanding.watching.heartbeat import Heartbeat
from autourdf_ros.commanding.watching.reading_watch import OF_FORCES
from autourdf_ros.data.joint_history import CLOCK_SET_BACK
from autourdf_ros.data.wrenches.record_file import RecordFile
from autourdf_ros.data.wrenches.wrench_reading import reaction
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import APART, COLUMNS, read_wrench_table
from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.conversions import clock_time, seconds
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription
from autourdf_ros.ros.identification.identification_parameters import SensorSettings

Array = NDArray[np.float64]

_WAITING = 5000
"""Wrenches that wait for the transforms of their time: a bound of memory."""
_LATEST_POSE = 1.0
"""Longest time (s) that transforms may come later than wrenches: a driver's, not a network's."""


class Frames(Protocol):
    """Where frames are, in one that does not move."""

    def transform(self, frame: str, stamp: Time) -> Array:
        """Return the pose (4, 4) of a frame at a time. Raise TransformException."""

    def apart(self, frame: str, stamp: Time) -> float:
        """Return the time (s) between the transforms that the pose lies between; 0 for none."""


@dataclass(frozen=True)
class _Wrench:
    """A wrench: stamp (s), frame, and force (N) and torque (N m) along its axes."""

    stamp: float
    frame: str
    values: tuple[float, ...]


class WrenchSource:
    """Implements `LoadSource` for geometry_msgs/WrenchStamped."""

    def __init__(
        self, node: Node, settings: SensorSettings, base_frame: str, frames: Frames
    ) -> None:
        """Create it.

        Args:
            node: the owner.
            settings: of the sensor.
            base_frame: frame of the poses, for messages.
            frames: gives the sensor's pose in it.
        """
        self.frame = settings.frame
        self.latest = -math.inf
        self._node, self._settings, self._base, self._frames = node, settings, base_frame, frames
        self._beat = Heartbeat(settings.timeout, OF_FORCES)
        self._waiting: deque[_Wrench] = deque(maxlen=_WAITING)
        self._newest = -math.inf
        self._fault: str | None = None
        self._unplaced = ""
        self._file: RecordFile | None = None
        self._began = 0.0
        self._lock = threading.Lock()
        self._wrenches = MatchedSubscription(
            node, WrenchStamped, settings.topic, self._receive, depth=1000
        )

    def connect(self) -> bool:
        """Subscribe once the sensor publishes."""
        return self._wrenches.connect()

    def receive_joint_state(self, message: JointState, stamp: float) -> None:
        """Take nothing: wrenches have a topic of their own."""

    def missing(self) -> list[str]:
        """Return why wrenches cannot be recorded."""
        topic = self._wrenches.topic
        if self._beat.silent(time.monotonic()):
            return [self._wrenches.problem()]
        if not self._beat.known:
            return [f"how often {topic} comes is still being measured"]
        if len(names := self._wrenches.publishers) > 1:
            return [f"{topic} is published by {', '.join(sorted(names))}; accepted is one"]
        return [self._fault] if self._fault else self._late_poses()

    def ready(self) -> None:
        """Forget faults of earlier wrenches."""
        self._fault = None

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""
        now = time.monotonic()
        if self._beat.silent(now):
            return (
                f"{self._wrenches.topic} is silent: no wrench for {self._beat.age(now):.2f} s "
                f"(accepted are {self._beat.limit:.2f} s)"
            )
        failure = self._file.failure if self._file else None
        late = self._late_poses()
        return self._fault or failure or (late[0] if late else None)

    def begin(self, path: Path) -> None:
        """Write wrenches with poses as a table that `autourdf payload` reads."""
        with self._lock:
            self._file, self._began = RecordFile(path, (*COLUMNS, APART)), self.latest

    def end(self) -> int:
        """End the table."""
        with self._lock:
            file, self._file = self._file, None
            if file is None:
                return 0
            file.close()
            return file.count

    def read(self, path: Path) -> WrenchRecording:
        """Return the wrenches that the load exerts on the sensor."""
        recording = read_wrench_table(path)
        return reaction(recording) if self._settings.reaction else recording

    def _late_poses(self) -> list[str]:
        if self._newest - self.latest <= _LATEST_POSE:
            return []
        why = f": {self._unplaced}" if self._unplaced else ""
        return [f"no transform from {self.frame!r} to {self._base!r} at the wrenches' times{why}"]

    def _receive(self, message: WrenchStamped) -> None:
        stamp = seconds(message.header.stamp) or clock_time(self._node)
        force, torque = message.wrench.force, message.wrench.torque
        values = (force.x, force.y, force.z, torque.x, torque.y, torque.z)
        frame = self._settings.frame or message.header.frame_id
        self._fault = self._fault or self._why_not(stamp, values, frame)
        if not all(map(math.isfinite, values)):
            return
        if frame != self.frame:
            self._waiting.clear()  # of a frame that may be unknown, for which others would wait
        self._beat.beat(time.monotonic())
        if stamp > self._newest or stamp < self._newest - CLOCK_SET_BACK:
            self.frame, self._newest = frame, stamp
            self._waiting.append(_Wrench(stamp, frame, values))
        self._place_waiting()

    def _why_not(self, stamp: float, values: tuple[float, ...], frame: str) -> str | None:
        topic = self._wrenches.topic
        if not all(map(math.isfinite, values)):
            return f"{topic} has numbers that are not finite"
        if not frame:
            return f"{topic} names no frame; accepted is a frame_id, or parameter sensor_frame"
        if self.frame and frame != self.frame:
            return f"{topic} changes its frame from {self.frame!r} to {frame!r}"
        if stamp < self._newest - CLOCK_SET_BACK:
            return f"the clock of {topic} was set back by {self._newest - stamp:.1f} s"
        size, limit = math.hypot(*values[:3]), self._settings.stop_force
        if limit is not None and size > limit:
            return f"the force of {size:.1f} N on {topic} is above stop_force, {limit:g} N"
        return None

    def _place_waiting(self) -> None:
        """Complete the wrenches whose transforms have come; drop those whose never will."""
        while self._waiting:
            wrench = self._waiting[0]
            at = Time(nanoseconds=round(wrench.stamp * 1e9), clock_type=ClockType.ROS_TIME)
            try:
                pose = self._frames.transform(wrench.frame, at)
            except (TransformException, InputError) as error:
                self._unplaced = str(error)
                if self._newest - wrench.stamp <= _LATEST_POSE:
                    return
                self._waiting.popleft()
                continue
            self._waiting.popleft()
            self._unplaced, self.latest = "", wrench.stamp
            self._write(wrench, pose, self._frames.apart(wrench.frame, at))

    def _write(self, wrench: _Wrench, pose: Array, apart: float) -> None:
        with self._lock:
            if self._file is None or wrench.stamp <= self._began:
                return
            turn = Rotation.from_matrix(pose[:3, :3]).as_quat()
            self._file.add(wrench.stamp, (*pose[:3, 3], *turn, *wrench.values, apart))
            self._file.flush()
