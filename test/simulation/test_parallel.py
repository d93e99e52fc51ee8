"""Frames rendered on all cores."""

import multiprocessing

import numpy as np
import pytest

from autourdf_ros.simulation import parallel
from autourdf_ros.simulation.cell import CellOptions
from autourdf_ros.simulation.recorder import Recorder, RecorderOptions

OPTIONS = RecorderOptions(
    sequences=2, frames=2, points=300, cell=CellOptions(cameras=3, width=64, height=48)
)


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(parallel, "WORTH_IT", 0.0)
    monkeypatch.setattr(parallel.os, "sched_getaffinity", lambda _: {0, 1})


def test_frames_are_the_same_on_all_cores(toy, two_cores):
    recorder = Recorder(toy, OPTIONS)
    items = list(parallel.rendered_frames(recorder))
    assert len(items) == recorder.count == 4
    for item, alone in zip(items, recorder.frames(), strict=True):
        np.testing.assert_array_equal(item.frame.points, alone.frame.points)
        np.testing.assert_array_equal(item.labels, alone.labels)
        assert item.sequence == alone.sequence
        assert item.frame.joint_positions == alone.frame.joint_positions


def test_processes_end_with_whoever_stops_listening(toy, two_cores):
    frames = parallel.rendered_frames(Recorder(toy, OPTIONS))
    next(frames)
    frames.close()
    assert not multiprocessing.active_children()
