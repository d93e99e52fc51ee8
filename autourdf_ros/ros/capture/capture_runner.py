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
from autourdf_ros.ros.capture.capture_diagnostics import cut_off
from autourdf_ros.ros.capture.next_step import next_step


class CaptureRunner:
    """Runs one task at a time: a capture, a background, a way home. Each begins at once.

    Attributes:
        status: of the latest task.
        problem: why it stopped, or another message for a human.
        recording: folder of the latest capture; None where the latest task was another one.
        began: where the robot stood when the latest capture began (rad or m by joint), or None.
        left: folder of the latest capture that was stopped, and number of the sequences that it
            lacks; None where there is none.
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
        self.began: Positions | None = None
        self.left: tuple[Path, int] | None = None
        self._cell = cell
        self._limits = limits
        self._settings = settings
        self._control = control
        self._path_screen = path_screen
        self._base_frame = base_frame
        self._logger = logger
        self._publish = publish
        self._thread: threading.Thread | None = None
        self._cut = ""  # the last warning that the box cuts the robot off
        self._complete = False  # whether a recording is, and the robot on its way back

    @property
    def running(self) -> bool:
        """Whether a task runs."""
        return self._thread is not None and self._thread.is_alive()

    def capture(
        self,
        folder: Path,
        completed: Callable[[Path], None],
        resume: bool = False,
        sequences: int | None = None,
    ) -> None:
        """Record all sequences.

        Args:
            folder: of the recording.
            completed: receives the folder when the recording is complete; the robot then returns.
            resume: whether the folder holds sequences already.
            sequences: number of sequences to record; None: that of the settings.
        """
        settings = replace(self._settings, sequences=sequences or self._settings.sequences)
        self.status = Status("starting", frames=settings.sequences * settings.frames)
        self._begin(folder, lambda: self._capture(folder, settings, resume, completed))

    def record_background(self, folder: Path) -> None:
        """Record the scene without the robot; nothing moves."""
        self._begin(None, lambda: self._record_background(folder))

    def go(self, target: Positions) -> None:
        """Go straight to the target (rad or m by joint) in joint space."""
        self._begin(None, lambda: self._go(target))

    def stop(self, reason: str) -> None:
        """Stop the robot where a task runs, and end the task."""
        if self.running:
            self._cell.stop(reason)

    def _begin(self, recording: Path | None, work: Callable[[], None]) -> None:
        self.problem, self.recording, self._complete = "", recording, False
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

    def _session(self, settings: SessionSettings, learner: Learner | None = None) -> CaptureSession:
        return CaptureSession(
            self._cell,
            self._limits,
            settings,
            self._report,
            self._control,
            self._path_screen,
            learner,
        )

    def _capture(
        self,
        folder: Path,
        settings: SessionSettings,
        resume: bool,
        completed: Callable[[Path], None],
    ) -> None:
        self._logger.info(f"recording to {folder}")
        newest = self._cell.history.latest
        self.began = newest[1] if newest is not None else None
        first = self._cell.open(folder, self._base_frame, resume)
        self.left = folder, settings.sequences
        with ExitStack() as stack:
            learner = None
            if settings.excitation == "informative":
                learner = stack.enter_context(closing(LearningProcess(folder, self._base_frame)))
            self._session(replace(settings, first=first), learner).run(
                lambda: self._recorded(folder, completed)
            )
        self._logger.info(f"complete: {folder}")

    def _recorded(self, folder: Path, completed: Callable[[Path], None]) -> None:
        """End the recording: on its way back the robot adds nothing to it."""
        self._cell.finish_writing()
        self._cell.close("completed", refusals=self.status.refusals)
        self.left, self._complete = None, True
        completed(folder)

    def _record_background(self, folder: Path) -> None:
        self._report(replace(self.status, phase="recording the background"))
        self._cell.record_background(folder, self._base_frame)
        self._cell.close("completed")
        self._report(replace(self.status, phase=f"the background is in {folder}"))
        self._logger.info(f"the background is in {folder}: give it as parameter background")

    def _go(self, target: Positions) -> None:
        self._session(self._settings).travel(target)
        self._logger.info("arrived")

    def _give_up(self, reason: str) -> None:
        if self.left is not None and self.recording is not None:
            folder, sequences = self.left
            self.left = folder, max(1, sequences - self.status.sequence)
        self.problem = f"stopped: {reason}; {next_step(reason, self._complete)}"
        self._logger.error(self.problem)
        self._publish()
        try:
            self._cell.close("stopped", reason=reason)
        except AutourdfError as error:  # it may be the recording that failed
            self._logger.error(f"the recording was not ended: {error}")
        if self.recording is not None:
            # One more than the session counted, where it was being made at the stop.
            self.status = replace(self.status, frame=self._cell.counts[1].frames)
            self._logger.info(f"{self.status.frame} frames are in {self.recording}")

    def _report(self, status: Status) -> None:
        before, self.status = self.status, status
        if status.refusals > before.refusals:
            refusal = f"target {status.refusals} was refused: {status.refusal}; trying another"
            self._logger.warning(refusal)
        if status.rejections != before.rejections:
            self._logger.warning(f"taking the frame again: {status.rejection}")
        if (cut := cut_off(self._cell.counts[1])) != self._cut:
            self._cut = cut
            if cut:
                self._logger.warning(cut)
        if status.frame > before.frame:
            self._logger.info(
                f"sequence {status.sequence + 1}: frame {status.frame} of {status.frames}"
            )
