"""The robot cell as a capture session sees it, on ROS topics."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from autourdf_ros.errors import InputError
from autourdf_ros.motion.joint_history import JointHistory
from autourdf_ros.motion.trajectory import Positions, Trajectory
from autourdf_ros.nodes.cameras import Cameras, CloudSet
from autourdf_ros.nodes.commander import Commander
from autourdf_ros.nodes.conversions import joint_positions, seconds
from autourdf_ros.nodes.matched_subscription import MatchedSubscription
from autourdf_ros.recording.cleaning import CleaningOptions, clean
from autourdf_ros.recording.frame import Frame
from autourdf_ros.recording.validate import MIN_POINTS
from autourdf_ros.recording.writer import RecordingWriter


@dataclass(frozen=True)
class CellTimeouts:
    """Longest silence (s) of a joint and of a camera."""

    joint_states: float = 0.5
    clouds: float = 5.0


class CaptureCell:
    """Joint readings, cameras, commands and the recording; implements `session.Cell`.

    Callbacks run on the executor's thread, the session on its own, and clouds are cleaned and
    written on a third, in order.
    """

    def __init__(
        self,
        node: Node,
        joints: Sequence[str],
        cameras: Cameras,
        commander: Commander,
        cleaning: CleaningOptions,
        timeouts: CellTimeouts,
    ) -> None:
        self.history = JointHistory(tuple(joints))
        self._node = node
        self._cameras = cameras
        self._commander = commander
        self._cleaning = cleaning
        self._timeouts = timeouts
        self._seen: set[str] = set()
        self._joint_states = MatchedSubscription(
            node, JointState, "joint_states", self._receive_joint_state, depth=50
        )
        self._subscriptions = [self._joint_states, *cameras.subscriptions]
        self._stop_reason: str | None = None
        self._writer: RecordingWriter | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="recording")
        self._jobs: list[Future[None]] = []
        self._connecting = node.create_timer(0.2, self._connect)

    def missing(self) -> list[str]:
        """What has to be there before the robot may move, each in a few words."""
        problems = []
        if self._joint_states.age > self._timeouts.joint_states:
            problems.append(self._joint_states.problem())
        else:
            unread = self.history.stale(time.monotonic(), self._timeouts.joint_states)
            if unread:
                problems.append(
                    f"{self._joint_states.topic} has no {', '.join(unread)}; "
                    f"it has {', '.join(sorted(self._seen))}"
                )
        problems += [
            camera.problem()
            for camera in self._cameras.subscriptions
            if camera.age > self._timeouts.clouds
        ]
        if not problems and self._cameras.since(0.0) is None:
            problems.append(self._cameras.missing(0.0))
        if not self._commander.connected():
            problems.append(f"no controller subscribes to {self._commander.topic}")
        return problems

    def open(self, folder: Path, fixed_frame: str) -> None:
        """Begin a new recording. Raises InputError when the folder holds something."""
        self._stop_reason = None
        self._jobs.clear()
        self._writer = RecordingWriter(folder, fixed_frame)

    def close(self, event: str, **details: object) -> None:
        """End the recording, after what is still to be written."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer_done = self._worker.submit(_finish, writer, event, details)
            writer_done.result()

    def finish_writing(self) -> None:
        """Wait until everything is written. Raises what went wrong."""
        while self._jobs:
            self._jobs.pop(0).result()

    def stop(self, reason: str) -> None:
        """Make `fault` report a reason until the next `open`."""
        self._stop_reason = self._stop_reason or reason

    def now(self) -> float:
        """Seconds of the node's clock."""
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def send(self, trajectory: Trajectory) -> None:
        """Command the controller."""
        self._commander.send(trajectory)

    def fault(self) -> str | None:
        """Why the robot has to stop, or None."""
        if self._stop_reason is not None:
            return self._stop_reason
        stale = self.history.stale(time.monotonic(), self._timeouts.joint_states)
        if stale:
            name, age = max(stale.items(), key=lambda item: item[1])
            return (
                f"{self._joint_states.topic} is stale: no reading of {name} for {age:.2f} s "
                f"(accepted are {self._timeouts.joint_states:g} s)"
            )
        for camera in self._cameras.subscriptions:
            if camera.age > self._timeouts.clouds:
                return f"camera is silent: {camera.problem()}"
        if not self._commander.connected():
            return f"the controller is gone: nothing subscribes to {self._commander.topic}"
        failed = next((job for job in self._jobs if job.done() and job.exception()), None)
        return f"recording failed: {failed.exception()}" if failed else None

    def view(self, since: float) -> CloudSet | None:
        """Clouds of all cameras stamped after `since`, or None."""
        return self._cameras.since(since)

    def missing_views(self, since: float) -> str:
        """Which clouds are missing."""
        return self._cameras.missing(since)

    def start_sequence(self, name: str) -> None:
        """Record what follows as a sequence."""
        writer = self._open_writer()
        self._submit(lambda: writer.start_sequence(name))

    def record(self, view: CloudSet, joints: Positions) -> None:
        """Clean and write the clouds, while the robot may already move on."""
        writer = self._open_writer()
        self._submit(lambda: self._write(writer, view, joints))

    def note(self, event: str, **details: Any) -> None:
        """Record that something happened."""
        writer = self._open_writer()
        self._submit(lambda: writer.event(event, **details))

    def _open_writer(self) -> RecordingWriter:
        if self._writer is None:
            raise InputError("no recording is open")
        return self._writer

    def _submit(self, job: Any) -> None:
        self._jobs = [done for done in self._jobs if not done.done() or done.exception()]
        self._jobs.append(self._worker.submit(job))

    def _write(self, writer: RecordingWriter, view: CloudSet, joints: Positions) -> None:
        clouds = view.in_base_frame()
        points, colors, cameras = clean(clouds, self._cleaning)
        if len(points) < MIN_POINTS:
            seen = sum(len(cloud) for cloud, _ in clouds)
            raise InputError(
                f"{len(points)} of {seen} points are left after cropping to the box and "
                f"removing the ground; accepted is at least {MIN_POINTS}: look at box_lower, "
                "box_upper, ground_height and the cameras' transforms"
            )
        writer.append(Frame(points, colors, view.stamp, dict(joints), cameras))

    def _connect(self) -> None:
        connected = [subscription.connect() for subscription in self._subscriptions]
        if all(connected):
            self._connecting.cancel()

    def _receive_joint_state(self, message: JointState) -> None:
        stamp = seconds(message.header.stamp) or self.now()
        self._seen.update(message.name)
        self.history.add(stamp, joint_positions(message), time.monotonic())


def _finish(writer: RecordingWriter, event: str, details: dict[str, object]) -> None:
    writer.event(event, **details)
    writer.close()
