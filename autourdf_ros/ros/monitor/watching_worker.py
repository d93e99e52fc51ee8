"""Watch in a thread of its own: the newest cloud of every camera, and submitted tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import PointCloud2

from autourdf_ros.commanding.watching.reading_interpolation import interpolated
from autourdf_ros.data.bags.point_cloud2 import measured_mask, points_from_cloud
from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.errors import AutourdfError
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.watch_session import WatchSession
from autourdf_ros.ros.cell.camera import Camera

Result = TypeVar("Result")

_POLL = 0.01  # s
_PATIENCE = 3.0  # s to wait for the current task at the end


class WatchingWorker:
    """Calls a session, which nobody else may call, until it is closed.

    Attributes:
        session: The robot under watch.
        processed: Number of judged clouds by camera.
        seconds: Processing time of the latest cloud (s).
        problems: By camera, why its latest cloud was not judged.
    """

    def __init__(
        self, session: WatchSession, cameras: Sequence[Camera], history: JointHistory
    ) -> None:
        """Start the thread. `history` holds the motors' readings."""
        self.session = session
        self._cameras, self._history = cameras, history
        self._lock = threading.Lock()
        self._task: tuple[Callable[[], object], Future[Any]] | None = None
        self._stamps: dict[str, float] = {}
        self.processed = {camera.topic: 0 for camera in cameras}
        self.seconds = float("nan")  # that the latest cloud took
        self.problems: dict[str, str] = {}  # by camera: why its latest cloud was not judged
        self._judged = dict.fromkeys(self.processed, time.monotonic())
        self._watching = True
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def watch(self, on: bool) -> None:
        """Judge clouds from now on, or do tasks only; what is known is kept."""
        self._judged = dict.fromkeys(self.processed, time.monotonic())
        self._watching = on

    def submit(self, task: Callable[[], Result]) -> Future[Result] | None:
        """Have a task done between two clouds; None while another is pending."""
        with self._lock:
            if self._task is not None:
                return None
            future: Future[Result] = Future()
            self._task = task, future
            return future

    def unjudged(self, camera: str) -> float:
        """Return the seconds since a cloud of the camera was judged, or since a task was done."""
        return time.monotonic() - self._judged[camera]

    def close(self) -> None:
        """End the thread after its current cloud or task; a long one is left behind."""
        self._closed.set()
        self.session.close()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        while not self._closed.is_set():
            if not (self._do_task() | (self._watching and self._watch_clouds())):
                time.sleep(_POLL)
        if self._task is not None:
            self._task[1].cancel()
        self.session.finish()

    def _do_task(self) -> bool:
        if self._task is None:
            return False
        task, future = self._task
        answer: Callable[[], None]
        try:
            answer = partial(future.set_result, task())
        except BaseException as error:
            answer = partial(future.set_exception, error)
        with self._lock:
            self._task = None
        self._judged = dict.fromkeys(self.processed, time.monotonic())
        answer()
        return True

    def _watch_clouds(self) -> bool:
        """Judge the new clouds; return whether there was one."""
        found = False
        for camera in self._cameras:
            try:
                found |= self._watch_cloud(camera)
            except AutourdfError as error:
                self.problems[camera.topic] = f"{camera.topic}: {error}"
            except Exception as error:  # a cloud may hold anything, and the next must be judged
                problem = f"{camera.topic}: {type(error).__name__}: {error}"
                self.problems[camera.topic] = problem
        return found

    def _watch_cloud(self, camera: Camera) -> bool:
        cloud = camera.newest
        if cloud is None or cloud.stamp == self._stamps.get(camera.topic):
            return False
        there = interpolated(self._history, cloud.stamp)
        if there is None:
            return False
        self._stamps[camera.topic] = cloud.stamp
        self.processed[camera.topic] += 1
        began = time.monotonic()
        self.session.take(
            observation_of(camera.topic, cloud.stamp, cloud.data, cloud.transform, *there)
        )
        self.problems.pop(camera.topic, None)
        self._judged[camera.topic] = time.monotonic()
        self.seconds = time.monotonic() - began
        return True


def observation_of(
    topic: str,
    stamp: float,
    data: bytes,
    pose: NDArray[np.float64],
    readings: Mapping[str, float],
    velocities: Mapping[str, float] | None = None,
) -> Observation:
    """Return the observation of a PointCloud2 in CDR.

    Args:
        topic: Name of the camera.
        stamp: Seconds.
        data: The serialized message.
        pose: (4, 4) of the camera in the base frame.
        readings: Of the motors (rad or m).
        velocities: Of the motors (rad/s or m/s), where known.

    Raises:
        InputError: The message cannot be read.
    """
    points, _ = points_from_cloud(deserialize_message(data, PointCloud2))
    points = points[measured_mask(points)].astype("float32")
    return Observation(topic, stamp, points, pose, readings, velocities or {})
