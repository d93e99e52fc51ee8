"""Runs the work of a capture node in a thread of its own, and keeps its status."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from rclpy.impl.rcutils_logger import RcutilsLogger

from autourdf_ros.commanding.learning.learning_process import Learner, LearningProcess
from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.session.capture_session import CaptureSession
from autourdf_ros.commanding.session.control import Control
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.session.status import Status
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import AutourdfError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.ros.capture.capture_cell import CaptureCell


class CaptureRunner:
    """Runs one task at a time: a capture, a background, a way home. Each begins at once.

    Attributes:
        status: of the latest task.
        problem: why it stopped, or another message for a human.
        recording: folder of the latest capture; None where the latest task was another one.
    """

    def __init__(
        self,
        cell: CaptureCell,
        limits: Limits,
        settings: SessionSettings,
        control: Control,
        path_screen: PathScreen,
        base_frame: str,
        logger: RcutilsLogger,
        publish: Callable[[], None],
    ) -> None:
        """Create it.

        Args:
            cell: the robot, its cameras and its recording.
            limits: of the joints that move.
            settings: of a session.
            control: speed and pause, which a human may change.
            path_screen: checks every motion.
            base_frame: frame of the recorded points.
            logger: of the node.
            publish: is called when a task ends.
        """
        self.status = Status("idle", frames=settings.sequences * settings.frames)
        self.problem = ""
        self.recording: Path | None = None
        self._cell = cell
        self._limits = limits
        self._settings = settings
        self._control = control
        self._path_screen = path_screen
        self._base_frame = base_frame
        self._logger = logger
        self._publish = publish
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether a task runs."""
        return self._thread is not None and self._thread.is_alive()

    def capture(self, folder: Path, resume: bool, completed: Callable[[Path], None]) -> None:
        """Record all sequences.

        Args:
            folder: of the recording.
            resume: whether the folder holds sequences already.
            completed: receives the folder when the recording is complete.
        """
        self._begin(folder, lambda: self._capture(folder, resume, completed))

    def record_background(self, folder: Path) -> None:
        """Record the scene without the robot; nothing moves."""
        self._begin(None, lambda: self._record_background(folder))

    def go(self, target: Positions) -> None:
        """Go straight to the target (rad or m by joint) in joint space."""
        self._begin(None, lambda: self._go(target))

    def _begin(self, recording: Path | None, work: Callable[[], None]) -> None:
        self.problem, self.recording = "", recording
        self._cell.ready()
        self._control.paused = False
        self._thread = threading.Thread(target=self._run_task, args=(work,), name="session")
        self._thread.start()

    def _run_task(self, work: Callable[[], None]) -> None:
        """Do a task; report why it failed."""
        try:
            work()
        except AutourdfError as error:
            self._give_up(str(error))
        except Exception as error:
            self._give_up(f"unexpected {type(error).__name__}: {error}")
            raise
        self._publish()

    def _session(self, first: int = 0, learner: Learner | None = None) -> CaptureSession:
        settings = replace(self._settings, first=first)
        return CaptureSession(
            self._cell,
            self._limits,
            settings,
            self._report,
            self._control,
            self._path_screen,
            learner,
        )

    def _capture(self, folder: Path, resume: bool, completed: Callable[[Path], None]) -> None:
        self._logger.info(f"recording to {folder}")
        first = self._cell.open(folder, self._base_frame, resume)
        with ExitStack() as stack:
            learner = None
            if self._settings.excitation == "informative":
                learner = stack.enter_context(closing(LearningProcess(folder, self._base_frame)))
            self._session(first, learner).run()
        self._cell.finish_writing()
        self._cell.close("completed", refusals=self.status.refusals)
        self._logger.info(f"complete: {folder}")
        completed(folder)

    def _record_background(self, folder: Path) -> None:
        self._report(replace(self.status, phase="recording the background"))
        self._cell.record_background(folder, self._base_frame)
        self._cell.close("completed")
        self._report(replace(self.status, phase=f"the background is in {folder}"))
        self._logger.info(f"the background is in {folder}: give it as parameter background")

    def _go(self, target: Positions) -> None:
        self._session().travel(target)
        self._logger.info("arrived")

    def _give_up(self, reason: str) -> None:
        self.problem = f"stopped: {reason}"
        kept = f". {self.status.frame} frames are in {self.recording}"
        self._logger.error(self.problem + (kept if self.recording else ""))
        self._publish()
        try:
            self._cell.close("stopped", reason=reason)
        except AutourdfError as error:  # it may be the recording that failed
            self._logger.error(f"the recording was not ended: {error}")

    def _report(self, status: Status) -> None:
        before, self.status = self.status, status
        if status.refusals > before.refusals:
            refusal = f"target {status.refusals} was refused: {status.refusal}; trying another"
            self._logger.warning(refusal)
        if status.rejections != before.rejections:
            self._logger.warning(f"taking the frame again: {status.rejection}")
        if status.frame > before.frame:
            self._logger.info(
                f"sequence {status.sequence + 1}: frame {status.frame} of {status.frames}"
            )
