"""Records what the cameras see of the cell while the robot is not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from autourdf_ros.data.recording.frame_checks import FrameChecks
from autourdf_ros.data.recording.frame_recorder import FrameOptions
from autourdf_ros.data.recording.recording_worker import RecordingWorker
from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.ros.cell.cameras import Cameras

# Clouds of a camera differ by noise, and in where it sees nothing.
_VIEWS = 5
_TIMEOUT = 10.0
_POINTS = 200_000
_POLL = 0.02


def background_options(frames: FrameOptions) -> FrameOptions:
    """As the capture cleans, but all is kept that is not ground: the scene has many parts."""
    cleaning = replace(frames.cleaning, outlier_ratio=0.0, gap=0.0, points=_POINTS, background=None)
    return replace(frames, cleaning=cleaning, checks=FrameChecks())


def record_background(
    cameras: Cameras,
    recording: RecordingWorker,
    now: Callable[[], float],
    stopped: Callable[[], str | None],
) -> None:
    """Write several views. Raises AutourdfError where that cannot be done, or `stopped` says why.

    now: seconds of the clock of the clouds' stamps.
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
            raise InputError(f"no background is needed, or it cannot be seen: {rejection.text}")
        since = max(view.stamps) + 1e-4
