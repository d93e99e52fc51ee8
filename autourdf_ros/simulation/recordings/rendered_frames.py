"""Renders the frames of a recording on all cores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.parallel import thread_count
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions, SimulatedFrame

WORTH_IT = 1e8  # pixels of all views above which processes save more time than their start takes

_recorder: Recorder | None = None


def rendered_frames(recorder: Recorder) -> Iterator[SimulatedFrame]:
    """Yield the recorder's frames in order; they do not depend on the number of cores."""
    options = recorder.options
    cores = thread_count()
    if cores < 2 or recorder.count * options.cell.pixels < WORTH_IT:
        yield from recorder.frames()
        return
    # Open3D's threads do not survive a fork.
    executor = ProcessPoolExecutor(
        min(cores, recorder.count),
        get_context("spawn"),
        _prepare,
        (recorder.robot.urdf, options),
    )
    try:
        yield from executor.map(_frame, range(recorder.count))
    finally:
        executor.shutdown(cancel_futures=True)


def _prepare(urdf: Path, options: RecorderOptions) -> None:
    global _recorder
    Thread(target=_end_with_parent, daemon=True).start()
    _recorder = Recorder(SimulatedRobot(urdf), options)


def _end_with_parent() -> None:
    """End this process when its parent is gone: a killed parent stops no worker."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _frame(number: int) -> SimulatedFrame:
    assert _recorder is not None
    return _recorder.frame(number)
