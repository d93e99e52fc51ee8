"""The robot cell of a weighing: what it sees at a rest are the records of the load."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.common.conversions import clock_time, seconds
from autourdf_ros.ros.identification.sources.load_source import LoadSource
from autourdf_ros.ros.monitor.motion_parameters import MotionSettings
from autourdf_ros.ros.monitor.observation_cell import ObservationCell


@dataclass(frozen=True)
class Rest:
    """Records of a robot that stood still.

    Attributes:
        stamp: Of the newest of them (s).
    """

    stamp: float


class WeighingCell(ObservationCell):
    """Implements `Cell`; nobody else may command the robot or move its other joints.

    Attributes:
        source: Of the load's records.
    """

    def __init__(
        self,
        node: Node,
        settings: MotionSettings,
        frames: Cameras,
        unmoved: Sequence[str],
        source: LoadSource,
        dwell: float,
    ) -> None:
        """Create it.

        Args:
            node: The owner.
            settings: Of the motions.
            frames: No camera, but the transforms.
            unmoved: Joints of the model that are not commanded.
            source: Of the load's records.
            dwell: How long they last at a rest (s).
        """
        self.source = source
        self._dwell = dwell
        super().__init__(node, settings, frames, unmoved, "joint_states", lambda *_: None)
        self._sensing = node.create_timer(0.2, self._connect_source)

    def missing(self) -> list[str]:
        """Return what has to change before the robot may move, each in a few words."""
        return [*super().missing(), *self.source.missing()]

    def ready(self) -> None:
        """Forget the faults of the last motion."""
        super().ready()
        self.source.ready()

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""
        return super().fault() or self.source.fault()

    def view(self, since: float) -> Any:
        """Return the records of a rest since a time (s), or None until they last long enough."""
        stamp = self.source.latest
        return Rest(stamp) if stamp >= since + self._dwell else None

    def missing_views(self, since: float) -> str:
        """Return how much of a rest is not recorded yet."""
        lacking = since + self._dwell - self.source.latest
        return f"{lacking:.2f} s of {self._dwell:g} s are not recorded" if lacking > 0 else ""

    def record(self, view: Any, joints: Positions) -> Future[Rejection | None]:
        """Keep nothing more: the source writes all records while the robot moves, too."""
        kept: Future[Rejection | None] = Future()
        kept.set_result(None)
        return kept

    def _connect_source(self) -> None:
        if self.source.connect():
            self._sensing.cancel()

    def _receive_joint_state(self, message: JointState) -> None:
        super()._receive_joint_state(message)
        stamp = seconds(message.header.stamp) or clock_time(self._node)
        self.source.receive_joint_state(message, stamp)
