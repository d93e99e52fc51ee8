"""The robot cell of a capture session, whose views are recorded."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from rclpy.node import Node

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.commanding.watching.watches import Watches
from autourdf_ros.data.recording.frame_recorder import FrameOptions, SerializedView
from autourdf_ros.data.recording.recording_worker import RecordingCounts, RecordingWorker
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.rejection import Rejection
from autourdf_ros.ros.capture.background_recording import background_options, record_background
from autourdf_ros.ros.cell.camera import CameraCounts
from autourdf_ros.ros.cell.cameras import Cameras
from autourdf_ros.ros.cell.color_cameras import ColorImages
from autourdf_ros.ros.cell.commander import Commander
from autourdf_ros.ros.cell.controller_activity import ControllerActivity
from autourdf_ros.ros.cell.robot_cell import CellJoints, RobotCell


class CaptureCell(RobotCell):
    """A robot cell and its recording; implements `commanding.session.cell.Cell`.

    A third thread passes clouds in order to the process that cleans and writes them.
    """

    def __init__(
        self,
        node: Node,
        joints: CellJoints,
        cameras: Cameras,
        commander: Commander,
        activity: ControllerActivity,
        watches: Watches,
        frames: FrameOptions,
        images: ColorImages | None = None,
    ) -> None:
        """Create the cell; frames says how clouds become frames, images are recorded beside."""
        super().__init__(node, joints, cameras, commander, activity, watches)
        self._images = images
        self._subscriptions += images.subscriptions if images is not None else []
        self._frames = frames
        self._recording = RecordingWorker()

    def ready(self) -> None:
        """Forget the reason of the last stop, and the failure of the last recording."""
        super().ready()
        self._recording.forget()

    def open(self, folder: Path, fixed_frame: str, resume: bool = False) -> int:
        """Begin a new recording, or resume one.

        Args:
            folder: of the recording.
            fixed_frame: frame of its points.
            resume: whether the folder holds a recording to which sequences are added.

        Returns:
            The number of sequences that it has already.

        Raises:
            InputError: the folder is not empty, or holds no recording that can be resumed.
        """
        setup = Setup(fixed_frame, self._cameras.topics, self.history.joints)
        return self._recording.open(folder, setup, self._frames, resume)

    def record_background(self, folder: Path, fixed_frame: str) -> None:
        """Record the scene without the robot. Raise InputError where nothing is visible."""
        setup = Setup(fixed_frame, self._cameras.topics, ())
        self._recording.open(folder, setup, background_options(self._frames))
        self._recording.start_sequence("background")
        record_background(self._cameras, self._recording, self.now, lambda: self._stop_reason)

    def close(self, event: str, **details: object) -> None:
        """End the recording with an event, after everything is written."""
        self._recording.close(event, details)

    def finish_writing(self) -> None:
        """Wait until everything is written. Raise the error where writing failed."""
        self._recording.finish()

    @property
    def counts(self) -> tuple[Mapping[str, CameraCounts], RecordingCounts]:
        """Counts of the clouds, by topic and in the recording."""
        return self._cameras.counts, self._recording.counts

    def fault(self) -> str | None:
        """Return why the robot has to stop, or None."""
        reason = super().fault()
        if reason is None and self._images is not None:
            problems = self._images.problems()
            reason = f"camera fails: {problems[0]}" if problems else None
        return reason if reason is not None else self._recording.failure

    def missing_clouds(self) -> list[str]:
        """Return why the cameras give no view, each in a few words."""
        problems = super().missing_clouds()
        if not problems and self._images is not None:
            missing = self._images.problems() or [self._images.missing(0.0)]
            return [*filter(None, missing)]
        return problems

    def view(self, since: float) -> SerializedView | None:
        """Return clouds, and images, of all cameras stamped after `since` (s), or None."""
        clouds = super().view(since)
        if clouds is None or self._images is None:
            return clouds
        images = self._images.since(since)
        return None if images is None else replace(clouds, images=images)

    def missing_views(self, since: float) -> str:
        """Return which clouds and images are missing, and why."""
        images = self._images.missing(since) if self._images is not None else ""
        return "; ".join(filter(None, [super().missing_views(since), images]))

    def start_sequence(self, name: str) -> None:
        """Begin a sequence of the recording."""
        self._recording.start_sequence(name)

    def record(self, view: SerializedView, joints: Positions) -> Future[Rejection | None]:
        """Clean, check and write the clouds; the future gives why they were rejected, or None."""
        return self._recording.submit_view(view, joints)

    def note(self, event: str, **details: Any) -> None:
        """Record an event."""
        self._recording.note(event, details)
