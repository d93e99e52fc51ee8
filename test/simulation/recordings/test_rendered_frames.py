"""Frames rendered on all cores."""

import multiprocessing
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from toy_robot import write_toy

from autourdf_ros.simulation.recordings import rendered_frames as rendering
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

pytestmark = pytest.mark.slow

OPTIONS = RecorderOptions(
    sequences=2, frames=2, points=300, cell=CellOptions(cameras=3, width=64, height=48)
)


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(rendering, "WORTH_IT", 0.0)
    monkeypatch.setattr(rendering.os, "sched_getaffinity", lambda _: {0, 1})


def test_frames_are_the_same_on_all_cores(toy, two_cores):
    recorder = Recorder(toy, OPTIONS)
    items = list(rendering.rendered_frames(recorder))
    assert len(items) == recorder.count == 4
    for item, alone in zip(items, recorder.frames(), strict=True):
        np.testing.assert_array_equal(item.frame.points, alone.frame.points)
        np.testing.assert_array_equal(item.labels, alone.labels)
        assert item.sequence == alone.sequence
        assert item.frame.joint_positions == alone.frame.joint_positions


def test_processes_end_with_whoever_stops_listening(toy, two_cores):
    frames = rendering.rendered_frames(Recorder(toy, OPTIONS))
    next(frames)
    frames.close()
    assert not multiprocessing.active_children()


_KILLED = """
import multiprocessing, sys
from pathlib import Path
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.recordings import rendered_frames as rendering
from autourdf_ros.simulation.recordings.recorder import Recorder, RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

if __name__ == "__main__":
    rendering.WORTH_IT = 0.0
    rendering.os.sched_getaffinity = lambda _: {0, 1}
    cell = CellOptions(cameras=3, width=64, height=48)
    options = RecorderOptions(sequences=1, frames=50, points=300, cell=cell)
    frames = rendering.rendered_frames(Recorder(SimulatedRobot(Path(sys.argv[1])), options))
    next(frames)
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    sys.stdin.read()
"""


def test_processes_end_with_a_parent_that_is_killed(tmp_path):
    write_toy(tmp_path)
    (tmp_path / "render.py").write_text(_KILLED)
    (urdf,) = tmp_path.glob("*.urdf")
    command = [sys.executable, str(tmp_path / "render.py"), str(urdf)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        workers = [int(word) for word in parent.stdout.readline().split()]
        parent.kill()
    assert workers
    while any(_runs(worker) for worker in workers):
        time.sleep(0.05)


def _runs(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
