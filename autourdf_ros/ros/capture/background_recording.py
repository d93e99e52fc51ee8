"""Records the scene without the robot."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from autourdf_ros.data.recording.frame_checks import FrameChecks
from autourdf_ros.data.recording.frame_recorder import FrameOptions
from autourdf_ros.data.recording.recording_worker import RecordingWorker
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.ros.cell.cameras import Cameras

# Views differ by noise, and by the pixels without depth.
_VIEWS = 5
_TIMEOUT = 10.0
_POINTS = 200_000
_POLL = 0.02


def background_options(frames: FrameOptions) -> FrameOptions:
    """Return the options of the capture, but keep all points that are not ground."""
    cleaning = replace(frames.cleaning, outlier_ratio=0.0, gap=0.0, points=_POINTS, background=None)
    return replace(frames, cleaning=cleaning, checks=FrameChecks())


def record_background(
    cameras: Cameras,
    recording: RecordingWorker,
    now: Callable[[], float],
    stopped: Callable[[], str | None],
) -> None:
    """Record several views.

    Args:
        cameras: that see the scene.
        recording: receives the views.
        now: returns the time (s) of the clock of the clouds' stamps.
        stopped: returns why the recording has to end, or None.

    Raises:
        AutourdfError: a view cannot be recorded, or `stopped` gives a reason.
    """
    since = now()
    for _ in range(_VIEWS):
        end = time.monotonic() + _TIMEOUT
        view = None
        while view is None:
            reason = stopped() or recording.failure
            if reason is not None:
                raise AutourdfError(reason)
            if time.monotonic() > end:
                raise AutourdfError(f"no clouds within {_TIMEOUT:g} s: {cameras.missing(since)}")
            time.sleep(_POLL)
            view = cameras.since(since)
        rejection = recording.submit_view(view, {}).result()
        if rejection is not None:
            raise InputError(f"the scene needs no background, or none is visible: {rejection.text}")
        since = max(view.stamps) + 1e-4
