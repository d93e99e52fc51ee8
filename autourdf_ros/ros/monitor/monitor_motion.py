"""Move the robot of a monitor node to chosen configurations before a repair.

Uses the limits, screening, watches and stops of the capture.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rclpy.node import Node
from std_srvs.srv import Trigger

from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.session.status import Status
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.commanding.watching.reading_interpolation import interpolated
from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.data.recording.frame_recorder import SerializedView
from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.motions.motion_screen import MotionScreen
from autourdf_ros.monitoring.motions.observation_plan import (
    MotionBounds,
    ObservationPlan,
    plan_observations,
)
from autourdf_ros.monitoring.repairing.model_repair import refuse_others
from autourdf_ros.monitoring.watch_session import Outcome, WatchSession
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.monitor.monitor_parameters import MonitorSettings
from autourdf_ros.ros.monitor.observation_cell import ObservationCell
from autourdf_ros.ros.monitor.watching_worker import observation_of

STOOD, STILL = 2.0, 0.002
"""Seconds in which no joint may have moved this far (rad or m); else somebody else moves it."""
_NOT_IN_MODEL = ("attachment", "object")


class MonitorMotion:
    """Moves the robot only in the task that `ready` returns, and offers `~/stop`.

    Attributes:
        active: Whether the robot moves or is about to.
        summary: What the motion for the last repair did.
    """

    def __init__(
        self, node: Node, settings: MonitorSettings, session: WatchSession, readings: JointHistory
    ) -> None:
        """Prepare motions.

        Args:
            node: Of the services and subscriptions.
            settings: Of the node.
            session: The robot under watch.
            readings: Of all motors.

        Raises:
            InputError: The model cannot screen motions.
        """
        self._settings, self._motion = settings, settings.motion
        self._readings, self._session = readings, session
        self._logger = node.get_logger()
        self.active = False
        self.summary = ""
        cameras = Cameras(
            node,
            settings.cameras,
            settings.base_frame,
            settings.reliability,
            self._motion.cloud_timeout,
        )
        unmoved = self._screen().unmoved
        self._cell = ObservationCell(
            node, self._motion, cameras, unmoved, settings.joint_states_topic, self._keep
        )
        node.create_service(Trigger, "~/stop", self._on_stop)

    def problem(self) -> str:
        """Why the robot must not be moved now; empty where it may."""
        missing = "; ".join(self._cell.missing())
        if missing or self._stands():
            return missing
        return f"the robot moved within {STOOD:g} s: somebody else moves it; end that first"

    def ready(self) -> Callable[[], Outcome]:
        """Allow the motion and return the task for the watching thread; `stop` works now."""
        self.active, self.summary = True, ""
        self._cell.ready()
        return self._repair

    def stop(self, reason: str) -> None:
        """Stop the robot if it moves or is about to."""
        self._cell.stop(reason)

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self.active
        self.stop("~/stop was called")
        response.message = "stopping" if self.active else "nothing to stop: not moving"
        return response

    def _stands(self) -> bool:
        newest = self._readings.latest
        if newest is None:
            return False
        stamps, positions = self._readings.between(newest[0] - STOOD, newest[0])
        covered = len(stamps) > 2 and stamps[-1] - stamps[0] > 0.9 * STOOD
        return covered and bool(np.ptp(positions, axis=0).max() <= STILL)

    def _repair(self) -> Outcome:
        """Move and observe, then repair. Raises as both do."""
        try:
            self._observe()
        finally:
            self.active = False
        return self._session.repair()

    def _observe(self) -> None:
        """Observe from the planned targets; without a plan the robot stays and the repair uses old
        data.
        """
        try:
            plan = self._plan()
        except InputError as error:
            self.summary = f"nothing was moved: {error}"
            self._logger.warning(self.summary)
            return
        count = len(plan.targets)
        self._logger.warning(f"MOVING to {count} places nearby, and back; ~/stop ends it")
        CaptureSession(
            self._cell,
            self._motion.limits,
            self._motion.session,
            self._log_phase,
            path_screen=plan.screen,
        ).visit(plan.start, plan.targets)
        self.summary = f"observed from where it stood, and from {count} places nearby"

    def _log_phase(self, status: Status) -> None:
        self._logger.info(status.phase)

    def _plan(self) -> ObservationPlan:
        motion, session, newest = self._motion, self._session, self._cell.history.latest
        change, report = session.to_repair, session.report
        if change is None or report is None or newest is None:
            raise InputError("no change is reported, or no joint reading")
        refuse_others(change)
        if new := [one for one in report.changes if one.kind in _NOT_IN_MODEL]:
            raise InputError(f"not in the model: {new[0].summary}")
        return plan_observations(
            session.question(change),
            report.changes,
            self._screen(),
            newest[1],
            self._cell.unmoved_positions,
            MotionBounds(motion.limits, motion.reach, motion.motions),
            check=self._check,
        )

    def _check(self) -> None:
        fault = self._cell.fault()
        if fault is not None:
            raise MotionStopped(fault)

    def _screen(self) -> MotionScreen:
        """Return the screen of the current model."""
        return MotionScreen(
            self._session.folder,
            list(self._motion.limits),
            self._settings.base_frame,
            self._motion.obstacles,
        )

    def _keep(self, view: SerializedView, joints: Positions) -> None:
        """Pass on what was seen where the joints stood."""
        for topic, data, pose, stamp in zip(
            view.cameras, view.clouds, view.transforms, view.stamps, strict=True
        ):
            there = interpolated(self._readings, stamp)
            others = there[0] if there is not None else self._cell.unmoved_positions()
            self._session.keep(observation_of(topic, stamp, data, pose, {**others, **joints}))
