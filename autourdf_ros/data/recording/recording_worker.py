"""Queues views for the process that records them, and counts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from autourdf_ros.data.recording.frame_recorder import FrameOptions, FrameOutcome, SerializedView
from autourdf_ros.data.recording.recorder_process import RecorderProcess
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.errors import InputError

Result = TypeVar("Result")


@dataclass(frozen=True)
class RecordingCounts:
    """Counts of a recording so far.

    Attributes:
        views: number of views.
        frames: number of views that became frames.
        cut: where the robot is cut off in the last frame that cuts it; empty: in none.
        cut_frames: number of those frames.
        unmeasured: number of points without depth, by camera.
        clean_s: seconds that cleaning the last frame took.
        write_s: seconds that writing the last frame took.
    """

    views: int = 0
    frames: int = 0
    cut: str = ""
    cut_frames: int = 0
    unmeasured: Mapping[str, int] = field(default_factory=dict)
    clean_s: float = 0.0
    write_s: float = 0.0


class RecordingWorker:
    """Queue before a RecorderProcess: methods return at once, a thread waits for the process."""

    def __init__(self) -> None:
        self.counts = RecordingCounts()
        self._recorder: RecorderProcess | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recording")
        self._jobs: list[Future[Any]] = []

    def open(self, folder: Path, setup: Setup, options: FrameOptions, resume: bool = False) -> int:
        """Begin a recording, or resume it, and wait until it is open.

        Returns:
            Number of sequences that it holds.

        Raises:
            InputError: as FrameRecorder.
        """
        self.forget()
        self.counts = RecordingCounts()
        self._recorder = RecorderProcess(folder, setup, options, resume)
        return self._recorder.sequences

    def close(self, event: str, details: Mapping[str, object]) -> None:
        """Write what is queued, end the recording, and wait for it.

        Raises:
            AutourdfError: this fails.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self._thread.submit(recorder.event, event, details)
            self._thread.submit(recorder.close).result()

    def finish(self) -> None:
        """Wait until everything queued is written. Raise the first error."""
        while self._jobs:
            self._jobs.pop(0).result()

    def forget(self) -> None:
        """Discard earlier errors."""
        self._jobs.clear()

    @property
    def failure(self) -> str | None:
        """The first error as text, or None."""
        failed = next((job for job in list(self._jobs) if job.done() and job.exception()), None)
        if failed is not None:
            return f"recording failed: {failed.exception()}"
        recorder = self._recorder
        gone = recorder is not None and recorder.is_gone
        return "recording failed: the recording process is gone" if gone else None

    def start_sequence(self, name: str) -> None:
        """Queue the beginning of a sequence."""
        self._submit(self._opened().start_sequence, name)

    def submit_view(
        self, view: SerializedView, joints: Mapping[str, float]
    ) -> Future[Rejection | None]:
        """Queue a view. The future gives None once it is on disk, or why it was rejected."""
        return self._submit(self._record, self._opened(), view, joints)

    def note(self, event: str, details: Mapping[str, Any]) -> None:
        """Queue an event. details: JSON values. After its end a recording has no events."""
        if self._recorder is not None:
            self._submit(self._recorder.event, event, details)

    def _record(
        self, recorder: RecorderProcess, view: SerializedView, joints: Mapping[str, float]
    ) -> Rejection | None:
        outcome = recorder.send_view(view, joints)
        self._count(view, outcome)
        return outcome.rejection

    def _count(self, view: SerializedView, outcome: FrameOutcome) -> None:
        before = self.counts
        unmeasured = dict(before.unmeasured)
        for camera, count in zip(view.cameras, outcome.unmeasured, strict=False):
            unmeasured[camera] = unmeasured.get(camera, 0) + count
        counted = replace(before, views=before.views + 1, unmeasured=unmeasured)
        if outcome.rejection is None:
            counted = replace(
                counted,
                frames=before.frames + 1,
                cut=outcome.cut or before.cut,
                cut_frames=before.cut_frames + bool(outcome.cut),
                clean_s=outcome.clean_s,
                write_s=outcome.write_s,
            )
        self.counts = counted

    def _opened(self) -> RecorderProcess:
        if self._recorder is None:
            raise InputError("no recording is open")
        return self._recorder

    def _submit(self, job: Callable[..., Result], *arguments: Any) -> Future[Result]:
        future = self._thread.submit(job, *arguments)
        kept = [done for done in self._jobs if not done.done() or done.exception()]
        self._jobs = [*kept, future]
        return future
