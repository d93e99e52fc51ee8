"""Watch a robot with its own model: report what changed, and repair the model.

The robot moves only on `~/repair`, with `allow_motion`, within the joint limits of the parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_ros import Buffer, TransformListener
from visualization_msgs.msg import MarkerArray

from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.files.writer_lock import lock_within
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.monitoring.continual.model_history import ModelHistory
from autourdf_ros.monitoring.images.image_report import agreement
from autourdf_ros.monitoring.observation_report import LinkState
from autourdf_ros.monitoring.watch_session import Outcome, WatchSession
from autourdf_ros.ros.cell.camera import Camera
from autourdf_ros.ros.common.conversions import (
    diagnostic,
    joint_positions,
    seconds,
    transform_matrix,
)
from autourdf_ros.ros.common.diagnostics import Diagnostics
from autourdf_ros.ros.common.matched_subscription import MatchedSubscription
from autourdf_ros.ros.common.quality import LATCHED
from autourdf_ros.ros.common.run_node import run_node
from autourdf_ros.ros.managed.managed_node import ManagedNode
from autourdf_ros.ros.monitor.image_worker import color_watch
from autourdf_ros.ros.monitor.monitor_messages import (
    change_values,
    color_diagnostic,
    daily_values,
    link_diagnostics,
    link_markers,
)
from autourdf_ros.ros.monitor.monitor_parameters import declare_settings
from autourdf_ros.ros.monitor.watch_status import WatchInputs, most_urgent, outcome_text
from autourdf_ros.ros.monitor.watching_worker import WatchingWorker

if TYPE_CHECKING:  # Pinocchio and Coal take a second to import; only motion needs them
    from autourdf_ros.ros.monitor.monitor_motion import MonitorMotion

_BUSY = "busy; call again"
_MOVING = "moving and repairing"


class MonitorNode(ManagedNode):
    """The `monitor` node. Raises InputError when a parameter or the model cannot be used.

    `~/repair` re-estimates what the most probable change names; nothing is watched meanwhile. With
    `allow_motion` the robot first moves to the most informative configurations (`MonitorMotion`).
    `~/refine` re-estimates all axes by daily work. `~/rollback` goes back to the previous model.
    All three publish the current model's path. While it is inactive nothing is watched.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("monitor", **options)

    def configure(self) -> None:
        """Check all parameters and the model, and hear the robot and its cameras."""
        self._settings = settings = declare_settings(self)
        self._history = ModelHistory(settings.history)
        self.at_cleanup(lock_within(self._history.root).release)
        if not self._history.entries and settings.result is not None:
            self._history.add(settings.result)
        elif settings.result is not None and not self._history.holds(settings.result):
            self.get_logger().warning(
                f"parameter result is {settings.result}, but {self._history.root} holds other "
                f"models: {self._history.current()} is watched; use another history for another "
                "robot"
            )
        session = WatchSession(
            self._history, settings.cameras, settings.options, settings.background, settings.daily
        )
        self._live = LiveModel(session.folder)
        self._buffer = Buffer()
        self._listener = TransformListener(self._buffer, self)
        self._cameras = [
            Camera(self, topic, settings.reliability, settings.cloud_timeout, self._transform)
            for topic in settings.cameras
        ]
        self._readings = JointHistory(session.model.motors)
        self._joint_states = MatchedSubscription(
            self, JointState, settings.joint_states_topic, self._on_joint_state, depth=50
        )
        self._inputs = WatchInputs(
            self._joint_states, self._readings, self._cameras, settings.cloud_timeout
        )
        self._links: dict[tuple[str, str], LinkState] = {}
        self._outcome = ""
        self._task: Future[Outcome] | None = None
        self._doing = ""  # name of the task
        self._published = self.create_publisher(String, settings.published_topic, LATCHED)
        self._diagnostics = Diagnostics(self)
        self._markers = self.create_publisher(MarkerArray, "~/markers", LATCHED)
        self.create_service(Trigger, "~/repair", self.armed(self._on_repair))
        self.create_service(Trigger, "~/refine", self.armed(self._on_refine))
        self.create_service(Trigger, "~/rollback", self.armed(self._on_rollback))
        self._motion: MonitorMotion | None = None
        if settings.motion.allowed:
            from autourdf_ros.ros.monitor.monitor_motion import MonitorMotion

            self._motion = MonitorMotion(self, settings, session, self._readings)
        self._worker = WatchingWorker(session, self._cameras, self._readings)
        self.at_cleanup(self._worker.close)
        self._colors = color_watch(
            self,
            settings.images,
            settings.base_frame,
            settings.reliability,
            settings.cloud_timeout,
            lambda: session.folder,
            self._readings,
        )
        if self._colors is not None:
            self.at_cleanup(self._colors.close)
        self._watch(False)
        self.create_timer(0.2, self._on_poll)
        self.create_timer(1.0, self._publish_status)

    def arm(self) -> None:
        """Watch, and publish the current model."""
        self._watch(True)
        self._published.publish(String(data=str(self._worker.session.folder)))

    def disarm(self) -> None:
        """Watch nothing."""
        self._watch(False)

    def halt(self, reason: str) -> bool:
        """Stop the robot if it moves; return whether no task runs any more."""
        if self._motion is not None and self._motion.active:
            self._motion.stop(reason)
        return self._task is None

    def may_leave(self) -> bool:
        """Return whether the robot stands; a task that only computes is left behind."""
        return self._motion is None or not self._motion.active

    def _watch(self, on: bool) -> None:
        self._worker.watch(on)
        if self._colors is not None:
            self._colors.watch(on)

    def _transform(self, frame: str, stamp: Time) -> NDArray[np.float64]:
        found = self._buffer.lookup_transform(self._settings.base_frame, frame, stamp)
        return transform_matrix(found.transform)

    def _on_joint_state(self, message: JointState) -> None:
        stamp = seconds(message.header.stamp) or self.get_clock().now().nanoseconds * 1e-9
        self._readings.add(stamp, joint_positions(message))

    def _on_repair(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        change = self._worker.session.to_repair
        if self._task is not None:
            response.message = f"already {self._doing}"
        elif change is None:
            response.message = "nothing to repair: no change is reported"
        elif self._motion is not None and (problem := self._motion.problem()):
            response.message = f"cannot move: {problem}"
        else:
            response.success = self._begin_repair()
            text = f"{self._doing} {change.kind} {change.subject}".strip()
            response.message = text if response.success else _BUSY
        return response

    def _begin_repair(self) -> bool:
        if self._motion is None:
            return self._begin("repairing", self._worker.session.repair)
        begun = self._begin(_MOVING, self._motion.ready())
        self._motion.active &= begun
        return begun

    def _on_refine(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        session = self._worker.session
        if self._task is not None:
            response.message = f"already {self._doing}"
        elif reason := session.not_to_refine:
            response.message = reason
        else:
            response.success = self._begin("refining", session.refine)
            response.message = "refining all axes" if response.success else _BUSY
        return response

    def _on_rollback(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._task is not None:
            response.message = f"already {self._doing}; call again when that is done"
            return response
        try:
            folder = self._history.before()
        except InputError as error:
            response.message = str(error)
            return response
        response.success = self._begin("going back", self._worker.session.rollback)
        response.message = f"going back to {folder}" if response.success else _BUSY
        return response

    def _begin(self, doing: str, task: Callable[[], Outcome]) -> bool:
        """Begin a task, one at a time; return whether it began. `_on_poll` reports its outcome."""
        self._task, self._doing = self._worker.submit(task), doing
        return self._task is not None

    def _on_poll(self) -> None:
        for subscription in [self._joint_states, *(c.subscription for c in self._cameras)]:
            subscription.connect()
        if self._colors is not None:
            self._colors.connect()
        session = self._worker.session
        if self._task is None:
            # The robot never moves without a call of ~/repair.
            if self.refusal:
                return
            if self._settings.policy == "auto" and session.ready:
                self._begin("repairing", session.repair)
            elif self._settings.policy == "auto" and session.daily.ready:
                self._begin("refining", session.refine)
            return
        if not self._task.done():
            return
        done, self._task = self._task, None
        try:
            outcome = done.result()
            if outcome.folder is not None:
                self._show(outcome.folder)
            self._outcome = outcome_text(outcome, self._cameras, self._settings.base_frame)
            if self._motion is not None and self._doing == _MOVING:
                self._outcome = f"{self._motion.summary}; {self._outcome}"
        except Exception as error:  # the watch must go on after any failure
            kind = "" if isinstance(error, AutourdfError) else f"{type(error).__name__}: "
            self._outcome = f"{self._doing} failed: {kind}{error}"
            self.get_logger().error(self._outcome)
        else:
            self.get_logger().info(self._outcome)

    def _show(self, folder: Path) -> None:
        """Publish the current model for the publisher node."""
        self._live = LiveModel(folder)
        self._links = {}
        self._published.publish(String(data=str(folder)))

    def _publish_status(self) -> None:
        session, settings = self._worker.session, self._settings
        report = session.report
        changes = () if report is None else report.changes
        if report is not None:
            # States of links that a camera no longer sees are dropped.
            cameras = {camera for camera, _ in report.links}
            others = {key: link for key, link in self._links.items() if key[0] not in cameras}
            self._links = others | dict(report.links)
        problems = self._inputs.problems(self._worker, busy=self._task is not None)
        colors = self._colors
        seen = None if colors is None or colors.stale else colors.report
        motors = {drive.motor: drive.joint for drive in self._live.drives}
        together = agreement(seen, changes, motors)
        doing = self._doing if self._task is not None else ""
        level, message = most_urgent(report, seen, together, doing, problems)
        values: dict[str, object] = {
            "model": session.folder,
            "policy": settings.policy,
            "problems": "; ".join(problems) or "none",
            "watched loosely": "; ".join(session.loosely) or "nothing",
            "repair": self._outcome,
            **change_values(report),
            **daily_values(session.daily),
            "processing (s)": f"{self._worker.seconds:.3f}",
            **self._inputs.camera_values(self._worker),
        }
        statuses = [diagnostic(self.get_name(), level, message, values)]
        statuses += link_diagnostics(self.get_name(), self._links)
        if self._colors is not None:
            statuses.append(color_diagnostic(self.get_name(), self._colors, together))
        self._diagnostics.publish_all(statuses)
        prefix = settings.frame_prefix
        self._markers.publish(link_markers(self._live, prefix, self._links, changes))


def main() -> int:
    """Run the node; return 2 when a parameter or the model cannot be used."""
    return run_node(MonitorNode, "monitor")


if __name__ == "__main__":
    sys.exit(main())
