"""Efforts of the joints, which show the load of a robot without a sensor at its wrist."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from sensor_msgs.msg import JointState

from autourdf_ros.commanding.watching.heartbeat import Heartbeat
from autourdf_ros.commanding.watching.reading_watch import OF_FORCES
from autourdf_ros.data.efforts.effort_reading import read_efforts
from autourdf_ros.data.wrenches.effort_wrenches import wrenches_from_efforts
from autourdf_ros.data.wrenches.record_file import RecordFile
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.ros.common.conversions import joint_efforts, joint_positions


class EffortSource:
    """Implements `LoadSource` for the efforts of sensor_msgs/JointState."""

    def __init__(
        self, joints: Sequence[str], urdf: Path, link: str, topic: str, timeout: float
    ) -> None:
        """Create it.

        Args:
            joints: whose efforts count.
            urdf: of the robot, with masses.
            link: of the URDF, at whose origin the load's wrench is stated.
            topic: of the readings, for messages.
            timeout: longest silence of the efforts (s), see `Heartbeat`.
        """
        self.frame = link
        self.latest = -math.inf
        self._joints, self._urdf, self._topic = tuple(joints), urdf, topic
        self._beat = Heartbeat(timeout, OF_FORCES)
        self._file: RecordFile | None = None
        self._lock = threading.Lock()

    def connect(self) -> bool:
        """Subscribe to nothing: the cell passes readings on."""
        return True

    def receive_joint_state(self, message: JointState, stamp: float) -> None:
        """Take a message with positions and efforts of all joints; others do not count."""
        positions, efforts = joint_positions(message), joint_efforts(message)
        pairs = [
            (positions.get(name, math.nan), efforts.get(name, math.nan)) for name in self._joints
        ]
        values = [value for pair in pairs for value in pair]
        if not all(map(math.isfinite, values)):
            return
        self._beat.beat(time.monotonic())
        if stamp <= self.latest:
            return
        self.latest = stamp
        with self._lock:
            if self._file is not None:
                self._file.add(stamp, values)
                self._file.flush()

    def missing(self) -> list[str]:
        """Return why efforts cannot be recorded."""
        if self._beat.silent(time.monotonic()):
            return [f"no message on {self._topic} has efforts of all of {', '.join(self._joints)}"]
        if not self._beat.known:
            return [f"how often {self._topic} has efforts is still being measured"]
        return []

    def ready(self) -> None:
        """Begin anew with the stamps, whose clock may have been set back."""
        self.latest = -math.inf

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""
        now = time.monotonic()
        if self._beat.silent(now):
            return (
                f"the efforts on {self._topic} are silent: none for {self._beat.age(now):.2f} s "
                f"(accepted are {self._beat.limit:.2f} s)"
            )
        return self._file.failure if self._file else None

    def begin(self, path: Path) -> None:
        """Write positions and efforts as a table that `autourdf inertia` reads."""
        columns = [f"{name}.{kind}" for name in self._joints for kind in ("position", "effort")]
        with self._lock:
            self._file = RecordFile(path, ["time", *columns])

    def end(self) -> int:
        """End the table."""
        with self._lock:
            file, self._file = self._file, None
            if file is None:
                return 0
            file.close()
            return file.count

    def read(self, path: Path) -> WrenchRecording:
        """Return the load's wrenches at the link: what the efforts exceed the URDF's."""
        return wrenches_from_efforts(read_efforts(path), self._urdf, self.frame)
