"""Runs one weighing at a time in a thread of its own: plan, move, record, estimate, write."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from autourdf_msgs.action import Identify
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.time import Time

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.planning import Plan
from autourdf_ros.commanding.session.standstill import POLL
from autourdf_ros.commanding.session.status import Status
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.ros.capture.dry_run import ASKED
from autourdf_ros.ros.identification.held_screen import holding
from autourdf_ros.ros.identification.identification_parameters import IdentificationSettings
from autourdf_ros.ros.identification.link_place import LinkPlace
from autourdf_ros.ros.identification.weighing_cell import WeighingCell
from autourdf_ros.ros.identification.weighing_estimate import estimate_weighing
from autourdf_ros.ros.identification.weighing_plan import moves_of, plan_weighing
from autourdf_ros.ros.identification.weighing_request import (
    RECORD,
    WeighingRequest,
    checked_request,
)
from autourdf_ros.ros.identification.weighing_result import no_payload

Array = NDArray[np.float64]

PLANNED, MOVED = 0.05, 0.8
"""Shares of the whole at which the plan and the motion are done."""
_STAGES = {"taking a frame": "recording", "returning to the start": "returning"}
"""Of the phases of a session; all others count as moving."""
_WORDS = {"taking a frame": "recording while the robot stands still"}
"""For phases of a session whose own words are those of cameras."""


@dataclass(frozen=True)
class WeighingStatus:
    """How far a weighing is.

    Attributes:
        stage: As the action's feedback has it; idle before the first goal.
        progress: Of the whole, 0 to 1.
        pose: Orientations that are recorded.
        poses: Of all.
        message: A few words.
    """

    stage: str = "idle"
    progress: float = 0.0
    pose: int = 0
    poses: int = 0
    message: str = ""


class WeighingRunner:
    """Runs the goals of a node.

    Attributes:
        status: Of the latest goal.
        outcome: Its result, once it has ended; None before.
    """

    def __init__(
        self,
        cell: WeighingCell,
        settings: IdentificationSettings,
        path_screen: PathScreen,
        show: Callable[[Plan, str], str],
        logger: RcutilsLogger,
        frames: Callable[[str, Time], Array],
    ) -> None:
        """Create it.

        Args:
            cell: The robot and the records of its load.
            settings: Of the node.
            path_screen: Checks every motion.
            show: Publishes a plan with the reason why nothing moves; returns a sentence.
            logger: Of the node.
            frames: Returns a frame's pose (4, 4) in the base frame. Raises TransformException.
        """
        self.status = WeighingStatus()
        self.outcome: Identify.Result | None = None
        self._cell, self._settings, self._path_screen = cell, settings, path_screen
        self._show, self._logger, self._frames = show, logger, frames
        self._stopped: str | None = None
        self._shown_reason = ""  # is logged with the plan
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether a goal is worked on."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, goal: Identify.Goal, session: Path) -> None:
        """Work on a goal; session is a new folder for its records."""
        self.outcome, self._stopped = None, None
        self.status = WeighingStatus("planning")
        self._thread = threading.Thread(target=self._run, args=(goal, session), name="weighing")
        self._thread.start()

    def stop(self, reason: str) -> None:
        """Stop the robot where it moves, and end the goal."""
        self._stopped = self._stopped or reason
        self._cell.stop(reason)

    def _run(self, goal: Identify.Goal, session: Path) -> None:
        result = no_payload()
        try:
            result = self._work(goal, session)
        except AutourdfError as error:
            result.message = str(error)
        except Exception as error:
            result.message = f"unexpected {type(error).__name__}: {error}"
            raise
        finally:
            # Records until a stop are there, too, whatever has failed.
            self._cell.source.end()
            records = session / "records.csv"
            result.records = str(records) if records.is_file() else ""
            if not result.success and result.message != self._shown_reason:
                self._logger.error(result.message)
            self.outcome = result

    def _work(self, goal: Identify.Goal, session: Path) -> Identify.Result:
        self._report("planning", 0.0, "reading the goal")
        request = checked_request(goal, self._settings.shape, session)
        moves = request.moves and self._settings.motion.allowed
        start = self._start(moves)
        self._report("planning", PLANNED / 2, "choosing orientations")
        path_screen = self._screen(request, start)
        found = plan_weighing(start, self._settings, path_screen, self._cell.source.frame)
        if not moves:
            return self._shown(found.path, tuple(found.refused), request.moves)
        self._check()
        place = self._place(request)
        self._weigh(found.path, request, place, path_screen)
        if request.method == RECORD:
            return no_payload(success=True, message=f"recorded {request.records}")
        return estimate_weighing(
            request, self._settings, self._cell.source, place, self._estimating
        )

    def _start(self, moves: bool) -> Positions:
        """Return where the robot stands, once all is there that a motion, or a plan, needs."""
        end = time.monotonic() + self._settings.motion.session.still_timeout
        while True:
            self._check()
            newest = self._cell.history.latest
            missing = self._cell.missing() if moves else self._unknown()
            if newest is not None and not missing:
                self._cell.ready()
                self._check()  # what `ready` forgets
                return newest[1]
            if time.monotonic() > end:
                raise InputError("cannot start: " + "; ".join(missing or ["no joint readings"]))
            self._cell.source.ready()  # a fault counts while it lasts
            time.sleep(POLL)

    def _unknown(self) -> list[str]:
        """What a plan lacks: it needs no controller, and of a sensor only its frame's name."""
        known = self._settings.sensor.link or self._cell.source.frame
        return [] if known else self._cell.source.missing()

    def _shown(
        self, path: list[Positions], refused: tuple[tuple[Positions, str], ...], wanted: bool
    ) -> Identify.Result:
        plan = Plan(moves_of(path, self._settings).moves, refused)
        reason = "allow_motion is false" if wanted else ASKED
        self._shown_reason = self._show(plan, reason)
        return no_payload(success=not wanted, message=self._shown_reason)

    def _place(self, request: WeighingRequest) -> LinkPlace | None:
        """Return where the link is that gets the payload; None where none does."""
        if request.attach is None:
            return None
        place = LinkPlace(self._frames, self._settings.frame_prefix, request.attach[1])
        place.observe(self._cell.source.frame)
        return place

    def _screen(self, request: WeighingRequest, start: Positions) -> PathScreen:
        """Return what checks motions: with the held object where its shape and pose are given."""
        if request.held is None or request.pose is None:
            return self._path_screen
        frame = self._cell.source.frame
        link = self._settings.sensor.link or frame
        return holding(self._path_screen, request, link, frame, start, self._frames)

    def _weigh(
        self,
        path: list[Positions],
        request: WeighingRequest,
        place: LinkPlace | None,
        path_screen: PathScreen,
    ) -> None:
        """Visit all orientations, and write what is measured meanwhile."""
        motion = self._settings.motion
        self._logger.warning(f"MOVING to {len(path) - 1} orientations, and back; ~/stop ends it")
        request.records.parent.mkdir(parents=True, exist_ok=True)
        self._cell.source.begin(request.records)
        poses = len(path)
        CaptureSession(
            self._cell,
            motion.limits,
            motion.session,
            lambda status: self._moving(status, poses, place),
            path_screen=path_screen,
        ).visit(path[0], path[1:])
        count = self._cell.source.end()
        self._logger.info(f"{count} records are in {request.records}")

    def _moving(self, status: Status, poses: int, place: LinkPlace | None) -> None:
        if place is not None and status.frame > self.status.pose:
            place.observe(self._cell.source.frame)
        stage = _STAGES.get(status.phase, "moving")
        words = _WORDS.get(status.phase, status.phase)
        share = PLANNED + (MOVED - PLANNED) * status.frame / poses
        self.status = WeighingStatus(stage, share, status.frame, poses, words)

    def _estimating(self, stage: str, fraction: float) -> None:
        """Report progress after the motion; raises where the goal has to end."""
        self._check()
        name = "writing" if stage in ("writing", "done") else "estimating"
        self._report(name, MOVED + (1.0 - MOVED) * fraction, stage)

    def _check(self) -> None:
        if self._stopped is not None:
            raise AutourdfError(self._stopped)

    def _report(self, stage: str, progress: float, message: str) -> None:
        self.status = WeighingStatus(stage, progress, self.status.pose, self.status.poses, message)
