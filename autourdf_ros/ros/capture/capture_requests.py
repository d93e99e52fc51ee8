"""What may be asked of the capture node: to record, by its services and by its action alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autourdf_msgs.action import Capture

from autourdf_ros.commanding.session.planning import Plan
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.progress import UNKNOWN, seconds_to_go
from autourdf_ros.ros.capture.capture_runner import CaptureRunner
from autourdf_ros.ros.capture.dry_run import ASKED, FORBIDDEN
from autourdf_ros.ros.capture.readiness import Readiness
from autourdf_ros.ros.common.goal_server import GoalServer
from autourdf_ros.ros.managed.managed_node import ManagedNode

_PERIOD = 0.1
"""Between two feedbacks (s)."""

Left = tuple[Path, int]
"""Folder of a recording that was stopped, and number of the sequences that it lacks."""
_NOTHING_LEFT = (
    "nothing to resume: no recording was stopped since this node began; parameter resume names an "
    "earlier one"
)
_BUSY = "already capturing"


@dataclass(frozen=True)
class Answer:
    """What became of a request.

    Attributes:
        success: whether a recording has begun, or a plan is shown.
        message: one sentence.
        moves: whether a recording has begun.
    """

    success: bool
    message: str
    moves: bool = False


class CaptureRequests:
    """Begins recordings, and serves the action `~/capture`, whose goals last as long as they."""

    def __init__(
        self,
        node: ManagedNode,
        runner: CaptureRunner,
        readiness: Readiness,
        allow_motion: bool,
        record: Callable[[Left | None], Path],
        planned: Callable[[Positions, int | None], Plan],
        show: Callable[[Callable[[Positions], Plan], str], tuple[bool, str]],
    ) -> None:
        """Offer the action.

        Args:
            node: the owner; nothing begins unless it is active.
            runner: records.
            readiness: waits for what is missing.
            allow_motion: whether the robot may move.
            record: begins a recording, or what one lacks, and returns its folder.
            planned: plans so many sequences (None: all) from where the robot stands.
            show: publishes a plan, saying why nothing moves; returns whether there is one, and a
                sentence.
        """
        self._node = node
        self._runner, self._readiness, self._allow_motion = runner, readiness, allow_motion
        self._record, self._planned, self._show = record, planned, show
        self._began: float | None = None  # s, when the goal's recording began
        self._goals = GoalServer(
            node, Capture, "~/capture", self._begin_goal, self.stop, self._occupied
        )
        node.create_timer(_PERIOD, self._on_timer)

    @property
    def ended(self) -> bool:
        """Whether nothing runs, and no request waits: for what is missing, or for a result."""
        waits = self._readiness.waiting or self._goals.working
        return not self._runner.running and not waits

    def stop(self, reason: str) -> bool:
        """Refuse what waits and stop the robot; return whether there was anything to stop."""
        waited, runs = self._readiness.cancel(reason), self._runner.running
        self._runner.stop(reason)
        return waited or runs

    def close(self) -> None:
        """Withdraw the action."""
        self._goals.destroy()

    async def ask(
        self,
        resume: bool = False,
        dry_run: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Answer:
        """Wait until a recording can begin, and begin it.

        Args:
            resume: whether to record what the latest recording lacks.
            dry_run: whether to show the plan only.
            cancelled: whether nobody wants it any more.
        """
        if self._runner.running:
            return Answer(False, _BUSY)
        if resume and self._runner.left is None:
            return Answer(False, _NOTHING_LEFT)
        missing = await self._readiness.problem()
        if missing or cancelled():
            return Answer(False, cannot_start(missing or "nobody wants it any more"))
        return self.begin(resume, dry_run)

    def begin(self, resume: bool = False, dry_run: bool = False) -> Answer:
        """Begin at once: a recording, or a plan where nothing may move."""
        left = self._runner.left if resume else None
        if self._runner.running:
            return Answer(False, _BUSY)
        if self._node.refusal:  # it may have been deactivated meanwhile
            return Answer(False, cannot_start(self._node.refusal))
        if dry_run or not self._allow_motion:
            sequences = left[1] if left else None
            reason = ASKED if dry_run else FORBIDDEN
            return Answer(*self._show(lambda here: self._planned(here, sequences), reason))
        folder = self._record(left)
        what = f"recording {left[1]} more sequences" if left else "recording"
        return Answer(True, f"{what} to {folder}", moves=True)

    def _occupied(self) -> str:
        return _BUSY if self._runner.running else ""

    async def _begin_goal(
        self, goal: Capture.Goal, cancelled: Callable[[], bool]
    ) -> Capture.Result | None:
        self._began = None
        answer = await self.ask(goal.resume, goal.dry_run, cancelled)
        if answer.moves:
            self._began = time.monotonic()
            return None
        return Capture.Result(
            success=answer.success and goal.dry_run,  # it was to move, and did not
            message=answer.message,
            verdict="planned" if answer.success else "refused",
            reasons=[] if answer.success else [answer.message],
        )

    def _on_timer(self) -> None:
        if self._goals.working:
            self._goals.report(self._feedback())
        if self._began is not None and not self._runner.running:
            self._began = None
            self._goals.conclude(self._result())

    def _feedback(self) -> Capture.Feedback:
        if self._began is None:
            missing = "; ".join(self._readiness.missing())
            return Capture.Feedback(stage="waiting", seconds_to_go=UNKNOWN, message=missing)
        status = self._runner.status
        progress = status.frame / status.frames
        return Capture.Feedback(
            stage=status.phase,
            frame=status.frame,
            frames=status.frames,
            sequence=status.sequence,
            progress=progress,
            seconds_to_go=float(round(seconds_to_go(time.monotonic() - self._began, progress))),
            message=status.rejection or status.refusal,
        )

    def _result(self) -> Capture.Result:
        problem, status, folder = self._runner.problem, self._runner.status, self._runner.recording
        reasons = [problem] if problem else []
        if status.refusals:
            reasons.append(f"{status.refusals} targets refused, the last: {status.refusal}")
        for reason, count in status.rejections.items():
            reasons.append(f"{count} frames taken again: {reason}")
        return Capture.Result(
            success=not problem,
            message=problem or f"complete: {status.frame} frames are in {folder}",
            verdict="stopped" if problem else "complete",
            reasons=reasons,
            recording=str(folder) if folder is not None and folder.exists() else "",
            frames=status.frame,
        )


def cannot_start(missing: str) -> str:
    """Return the refusal of a request that lacks something."""
    return f"cannot start: {missing}"
