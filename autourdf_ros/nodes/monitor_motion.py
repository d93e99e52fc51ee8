"""Lets the robot of a monitor node look at itself from chosen configurations before a repair.

By the machinery of the capture: its limits, screening, watches and stops.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rclpy.node import Node
from std_srvs.srv import Trigger

from autourdf_ros.description.live_model import LiveModel
from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.displacement import beside, farthest
from autourdf_ros.monitoring.expected_look import expected_comparison
from autourdf_ros.monitoring.telling_motions import Question, nearby, telling_targets
from autourdf_ros.monitoring.watch_session import Outcome, WatchSession
from autourdf_ros.motion.joint_history import JointHistory
from autourdf_ros.motion.link_distances import LinkDistances
from autourdf_ros.motion.model_screen import model_distances
from autourdf_ros.motion.path_screen import PathScreen
from autourdf_ros.motion.planning import check_start
from autourdf_ros.motion.reading_interpolation import interpolated
from autourdf_ros.motion.session import CaptureSession
from autourdf_ros.motion.stopped import MotionStopped
from autourdf_ros.motion.trajectory import Positions
from autourdf_ros.nodes.cameras import Cameras
from autourdf_ros.nodes.looking_cell import LookingCell
from autourdf_ros.nodes.monitor_parameters import MonitorSettings
from autourdf_ros.nodes.watching_worker import observation_of
from autourdf_ros.recording.frame_recorder import SerializedView

STOOD = 2.0
"""Seconds that the robot has to have stood still: one at work rests for less between motions."""
_CANDIDATES = 32
_THINGS = ("attachment", "object")


class MonitorMotion:
    """Moves only in `repair`, which is begun by `ready`. It offers `~/stop`."""

    def __init__(
        self, node: Node, settings: MonitorSettings, session: WatchSession, readings: JointHistory
    ) -> None:
        """readings: of all motors. Raises InputError where the model cannot screen motions."""
        self._settings, self._motion = settings, settings.motion
        self._readings, self._session = readings, session
        self._logger = node.get_logger()
        self.active = False
        live = self._distances(session.folder)[0]
        unmoved = [one.motor for one in live.drives if one.motor not in self._motion.limits]
        cameras = Cameras(
            node,
            settings.cameras,
            settings.base_frame,
            settings.reliability,
            self._motion.cloud_timeout,
        )
        self._cell = LookingCell(node, self._motion, cameras, unmoved, self._keep)
        node.create_service(Trigger, "~/stop", self._on_stop)

    def problem(self) -> str:
        """Why the robot may not be moved now; empty where it may."""
        missing = self._cell.missing()
        newest = self._cell.history.latest
        if missing or newest is None:
            return "; ".join(missing) or "no joint readings"
        still = self._motion.session.still_velocity
        if not self._cell.history.still(newest[0] - STOOD, newest[0], still):
            return (
                f"the robot moves, or did within {STOOD:g} s: somebody else moves it; end that "
                "first"
            )
        return ""

    def ready(self) -> Callable[[], Outcome]:
        """What is to be done next, on the thread that watches; it can be stopped from now on."""
        self.active = True
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

    def _repair(self) -> Outcome:
        """Look from where that tells most, then repair. Raises as both do."""
        session = self._session
        change, report = session.to_repair, session.report
        try:
            things = [one for one in report.changes if one.kind in _THINGS] if report else []
            if things:
                self._logger.warning(f"nothing is moved, as no model has it: {things[0].evidence}")
            elif change is not None:
                self._look(change)
        finally:
            self.active = False
        return session.repair()

    def _look(self, change: Change) -> None:
        motion, newest = self._motion, self._cell.history.latest
        if newest is None:
            raise InputError("no joint readings")
        start = newest[1]
        question = self._session.question(change)
        candidates = nearby(start, motion.limits, motion.reach, _CANDIDATES)
        screen = self._screen(question, change, [start, *candidates])
        check_start(start, motion.limits, screen)
        reasons = dict[str, None]()

        def free(here: Positions, there: Positions) -> bool:
            fault = self._cell.fault()
            if fault is not None:
                raise MotionStopped(fault)
            reason = screen.reason([here, there])
            reasons.update({} if reason is None else {reason: None})
            return reason is None

        targets = telling_targets(question, start, candidates, motion.motions, free)
        if not targets:
            raise InputError(
                f"nothing is moved: of {len(candidates)} configurations nearby none is surely "
                f"free: {next(reversed(reasons))}"
            )
        self._logger.info(f"looking from where it stands, and from {len(targets)} places nearby")
        session = CaptureSession(
            self._cell,
            motion.limits,
            motion.session,
            lambda status: self._logger.info(status.phase),
            path_screen=screen,
        )
        session.visit(targets)

    def _screen(
        self, question: Question, change: Change, configurations: list[Positions]
    ) -> PathScreen:
        """Of the current model, with room for what is told to be off."""
        live, distances = self._distances(self._session.folder)
        causes, camera = question.causes, question.cameras[0]
        others = self._cell.unmoved_positions()
        looks = [
            expected_comparison(causes.model, camera, {**others, **one}).look
            for one in configurations
        ]
        room, apart = farthest(causes, change, looks), beside(causes, change)
        wide = distances.widened(lambda one, other: room * apart(one, other))
        return PathScreen(
            self._motion.obstacles.forbidden,
            distances,
            self._cell.unmoved_positions,
            wide,
            live.joint_values,
        )

    def _distances(self, folder: Path) -> tuple[LiveModel, LinkDistances]:
        live, given = LiveModel(folder), self._motion.obstacles
        joint = {drive.motor: drive.joint for drive in live.drives}
        lacking = [name for name in self._motion.limits if name not in joint]
        if lacking:
            raise InputError(
                f"joints names {', '.join(lacking)}, which {folder} does not have; it has "
                f"{', '.join(joint)}"
            )
        distances = model_distances(
            folder,
            [joint[name] for name in self._motion.limits],
            self._settings.base_frame,
            given.keep_out,
            given.minimum_height,
            given.clearance,
        )
        bare = [name for name in self._motion.limits if joint[name] in distances.bare]
        if bare:
            raise InputError(
                f"{folder}: nothing that {', '.join(bare)} moves has a collision shape; accepted "
                "among joints are those whose motion can be screened"
            )
        return live, distances

    def _keep(self, view: SerializedView, joints: Positions) -> None:
        """Use what was seen where the joints stood."""
        for topic, data, pose, stamp in zip(
            view.cameras, view.clouds, view.transforms, view.stamps, strict=True
        ):
            there = interpolated(self._readings, stamp)
            newest = self._readings.latest
            others = there[0] if there is not None else newest[1] if newest is not None else {}
            self._session.keep(observation_of(topic, stamp, data, pose, {**others, **joints}))
