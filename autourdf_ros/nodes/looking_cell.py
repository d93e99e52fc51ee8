"""The robot cell of a repair: what the cameras see is looked at, and not recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rclpy.node import Node

from autourdf_ros.motion.effort_watch import EffortWatch
from autourdf_ros.motion.jump_watch import JumpWatch
from autourdf_ros.motion.reading_watch import ReadingWatch
from autourdf_ros.motion.rejection import Rejection
from autourdf_ros.motion.trajectory import Positions
from autourdf_ros.nodes.cameras import Cameras
from autourdf_ros.nodes.capture_setup import JUMP
from autourdf_ros.nodes.commander import create_commander
from autourdf_ros.nodes.controller_activity import ControllerActivity
from autourdf_ros.nodes.motion_parameters import MotionSettings
from autourdf_ros.nodes.other_commanders import OtherCommanders
from autourdf_ros.nodes.robot_cell import RobotCell
from autourdf_ros.recording.frame_recorder import SerializedView

Keep = Callable[[SerializedView, Positions], None]


class LookingCell(RobotCell):
    """Implements `motion.cell.Cell`. Nobody else may command the robot meanwhile.

    keep: is handed what was seen, on a thread of its own.
    """

    def __init__(
        self,
        node: Node,
        settings: MotionSettings,
        cameras: Cameras,
        unmoved: Sequence[str],
        keep: Keep,
    ) -> None:
        joints = list(settings.limits)
        super().__init__(
            node,
            joints,
            cameras,
            create_commander(node, settings.interface, settings.topic),
            ControllerActivity(node, settings.topic),
            ReadingWatch([*joints, *unmoved], settings.joint_timeout),
            unmoved,
            EffortWatch(settings.efforts, settings.joint_timeout),
            JumpWatch(settings.limits, JUMP),
        )
        self._others = OtherCommanders(node, settings.interface, settings.topic)
        self._keep = keep
        self._pool = ThreadPoolExecutor(1, "looking")

    def missing(self) -> list[str]:
        """What has to be otherwise before the robot may move, each in a few words."""
        others = self._others.problem()
        return [*super().missing(), others] if others else super().missing()

    def fault(self) -> str | None:
        """Why the robot has to stop, or None."""
        reason = super().fault()
        return reason if reason is not None else self._others.problem()

    def start_sequence(self, name: str) -> None:
        """Nothing is recorded."""

    def record(self, view: SerializedView, joints: Positions) -> Future[Rejection | None]:
        """Hand over what was seen."""
        return self._pool.submit(self._keep, view, joints)

    def note(self, event: str, **details: Any) -> None:
        """Nothing is recorded."""
