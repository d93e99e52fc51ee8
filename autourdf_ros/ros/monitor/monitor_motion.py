"""Lets the robot of a monitor node look at itself from chosen configurations before a repair.

By the machinery of the capture: its limits, screening, watches and stops.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rclpy.node import Node
from std_srvs.srv import Trigger

from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.interruptions import MotionStopped
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.commanding.watching.reading_interpolation import interpolated
from autourdf_ros.data.joint_history import JointHistory
from autourdf_ros.data.recording.frame_recorder import SerializedView
from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.motions.motion_screen import MotionScreen
from autourdf_ros.monitoring.motions.observation_plan import ObservationPlan, plan_observations
from autourdf_ros.monitoring.repairing.model_repair import refuse_others
from autourdf_ros.monitoring.watch_session import Outcome, WatchSession
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.monitor.monitor_parameters import MonitorSettings
from autourdf_ros.ros.monitor.observation_cell import ObservationCell
from autourdf_ros.ros.monitor.watching_worker import observation_of

STOOD, STILL = 2.0, 0.002
"""Seconds in which no joint may have gone so far (rad or m): somebody else moves it then."""
_THINGS = ("attachment", "object")


class MonitorMotion:
    """Moves only in what `ready` returns, and offers `~/stop`. told: what it did for a repair."""

    def __init__(
        self, node: Node, settings: MonitorSettings, session: WatchSession, readings: JointHistory
    ) -> None:
        """readings: of all motors. Raises InputError where the model cannot screen motions."""
        self._settings, self._motion = settings, settings.motion
        self._readings, self._session = readings, session
        self._logger = node.get_logger()
        self.active = False
        self.told = ""
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
        """Why the robot may not be moved now; empty where it may."""
        missing = "; ".join(self._cell.missing())
        if missing or self._stands():
            return missing
        return f"the robot moves, or did within {STOOD:g} s: somebody else moves it; end that first"

    def ready(self) -> Callable[[], Outcome]:
        """What is to be done next, on the thread that watches; it can be stopped from now on."""
        self.active, self.told = True, ""
        self._cell.ready()
        return self._repair

    def stop(self, reason: str) -> None:
        """Stop the robot, if it is moved, or is about to be."""
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
        """Look from where that tells most, then repair. Raises as both do."""
        try:
            self._look()
        finally:
            self.active = False
        return self._session.repair()

    def _look(self) -> None:
        """Where nothing can be planned nothing moves, and it is repaired by what was seen."""
        try:
            plan = self._plan()
        except InputError as error:
            self.told = f"nothing was moved: {error}"
            self._logger.warning(self.told)
            return
        count = len(plan.targets)
        self._logger.warning(f"MOVING to {count} places nearby, and back; ~/stop ends it")
        CaptureSession(
            self._cell,
            self._motion.limits,
            self._motion.session,
            lambda status: self._logger.info(status.phase),
            path_screen=plan.screen,
        ).visit(plan.start, plan.targets)
        self.told = f"looked from where it stood, and from {count} places nearby"

    def _plan(self) -> ObservationPlan:
        motion, session, newest = self._motion, self._session, self._cell.history.latest
        change, report = session.to_repair, session.report
        if change is None or report is None or newest is None:
            raise InputError("no change is told, or no joint reading")
        refuse_others(change)
        if things := [one for one in report.changes if one.kind in _THINGS]:
            raise InputError(f"no model has it: {things[0].evidence}")
        return plan_observations(
            session.question(change),
            report.changes,
            self._screen(),
            newest[1],
            self._cell.unmoved_positions,
            motion.limits,
            reach=motion.reach,
            count=motion.motions,
            check=self._check,
        )

    def _check(self) -> None:
        fault = self._cell.fault()
        if fault is not None:
            raise MotionStopped(fault)

    def _screen(self) -> MotionScreen:
        """Of the model that is current now."""
        return MotionScreen(
            self._session.folder,
            list(self._motion.limits),
            self._settings.base_frame,
            self._motion.obstacles,
        )

    def _keep(self, view: SerializedView, joints: Positions) -> None:
        """Use what was seen where the joints stood."""
        for topic, data, pose, stamp in zip(
            view.cameras, view.clouds, view.transforms, view.stamps, strict=True
        ):
            there = interpolated(self._readings, stamp)
            others = there[0] if there is not None else self._cell.unmoved_positions()
            self._session.keep(observation_of(topic, stamp, data, pose, {**others, **joints}))
