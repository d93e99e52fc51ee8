"""The robot cell of a repair: it hands over what the cameras see, and records nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rclpy.node import Node

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.commanding.watching.effort_watch import EffortWatch
from autourdf_ros.commanding.watching.jump_watch import JumpWatch
from autourdf_ros.commanding.watching.reading_watch import ReadingWatch
from autourdf_ros.commanding.watching.watches import Watches
from autourdf_ros.data.recording.frame_recorder import SerializedView
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.ros.capture.capture_setup import JUMP
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.cell.commander import create_commander
from autourdf_ros.ros.cell.controller_activity import ControllerActivity
from autourdf_ros.ros.cell.other_commanders import OtherCommanders
from autourdf_ros.ros.cell.robot_cell import CellJoints, RobotCell
from autourdf_ros.ros.monitor.motion_parameters import MotionSettings

Keep = Callable[[SerializedView, Positions], None]


class ObservationCell(RobotCell):
    """Implements `Cell`; nobody else may command the robot or move its other joints."""

    def __init__(
        self,
        node: Node,
        settings: MotionSettings,
        cameras: Cameras,
        unmoved: Sequence[str],
        joint_states: str,
        keep: Keep,
    ) -> None:
        joints = CellJoints(tuple(settings.limits), tuple(unmoved), joint_states)
        super().__init__(
            node,
            joints,
            cameras,
            create_commander(node, settings.interface, settings.topic),
            ControllerActivity(node, settings.topic),
            Watches(
                ReadingWatch([*joints.commanded, *joints.unmoved], settings.joint_timeout),
                EffortWatch(settings.efforts, settings.joint_timeout),
                JumpWatch(settings.limits, JUMP),
            ),
        )
        self._others = OtherCommanders(node, settings.interface, settings.topic)
        self._keep = keep
        self._pool = ThreadPoolExecutor(1, "observing")
        self._stood: dict[str, float] = {}

    def missing(self) -> list[str]:
        """Return what has to change before the robot may move, each in a few words."""
        others = self._others.problem()
        return [*super().missing(), others] if others else super().missing()

    def ready(self) -> None:
        """Forget the reason of the last stop; joints that are not commanded must now stay."""
        super().ready()
        self._stood = self.unmoved_positions()

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""
        return super().fault() or self._others.problem() or self._moved()

    def start_sequence(self, name: str) -> None:
        """Record nothing."""

    def record(self, view: SerializedView, joints: Positions) -> Future[Rejection | None]:
        """Hand over what was seen."""
        return self._pool.submit(self._keep, view, joints)

    def note(self, event: str, **details: Any) -> None:
        """Record nothing."""

    def _moved(self) -> str | None:
        for name, value in self.unmoved_positions().items():
            if abs(value - self._stood.get(name, value)) > JUMP:
                return (
                    f"joint {name}, which is not commanded, went from {self._stood[name]:.3f} to "
                    f"{value:.3f}: somebody else moves it"
                )
        return None
