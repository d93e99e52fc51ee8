"""The capture node and the robot killed at random moments: what was recorded stays."""

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
from capture_rig import PARAMETERS, parameter_text, start_process, until_ended, until_moving

from autourdf_ros.recording.load import load_recording

pytestmark = pytest.mark.timeout(900)
KILLS = 20


class Forks:
    """The process that runs one capture node after the other, without shared memory: a reader that
    is killed while it reads leaves its lock on a part of its writer's.
    """

    def __init__(self):
        script = str(Path(__file__).with_name("capture_forks.py"))
        self._process = start_process(script, FASTDDS_BUILTIN_TRANSPORTS="UDPv4")
        self._started: list[int] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, cell, file: Path) -> int:
        """Process id of a new capture node."""
        self._started.clear()
        self._process.stdin.write(f"{file}\n")
        self._process.stdin.flush()
        cell.until(lambda: self._started)
        return self._started[0]

    def end(self):
        self._process.kill()
        self._process.wait()

    def _listen(self):
        for line in self._process.stdout:
            if line.startswith("started "):
                self._started.append(int(line.split()[1]))


@pytest.fixture
def forks():
    forks = Forks()
    yield forks
    forks.end()


def children(process: int) -> list[int]:
    """Of all its threads."""
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def kill(process: int):
    os.kill(process, signal.SIGKILL)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def frames_of(recording: Path) -> dict[float, bytes]:
    """The points of each frame by its stamp."""
    return {frame.stamp: frame.points.tobytes() for frame in load_recording(recording).frames}


def test_twenty_kills_at_random_moments_lose_no_frame(cell, robot, forks):
    draw = random.Random(0)
    recording, known = "", {}
    for number in range(KILLS):
        cell.diagnostics.clear()
        folder = str(cell.folder / "recordings")
        changes = {"recording": folder, "resume": recording, "autostart": True, "frames": 50}
        file = cell.folder / f"capture_{number}.yaml"
        file.write_text(parameter_text(PARAMETERS | changes | {"seed": number}))
        node = forks.start(cell, file)
        cell.until_frame(draw.randint(0, 2) if recording else 1)
        time.sleep(draw.uniform(0.0, 0.3))
        recorders = children(node)
        told = int(cell.diagnostics[-1][1]["frame"])
        kill(node)
        for recorder in recorders if number % 2 else ():  # as when the power fails
            kill(recorder)
        cell.until(lambda ended=(node, *recorders): not any(map(is_alive, ended)))
        recording = recording or str(cell.recordings()[0])
        found = frames_of(Path(recording))
        assert known.items() <= found.items()
        assert len(found) >= len(known) + told
        known = found
    assert len(known) >= KILLS // 2
    print(f"FAULT node killed {KILLS} times: {len(known)} frames kept")
    cell.start_capture(resume=recording, sequences=1, frames=2)
    cell.start()
    cell.until(lambda: cell.completed)
    assert len(frames_of(Path(recording))) == len(known) + 2


def test_a_lost_robot_is_said_and_what_was_recorded_is_kept(cell, robot):
    cell.start_capture(speed=0.03, joint_state_timeout=1.0)
    cell.start()
    until_moving(cell, robot)
    robot.lose()
    try:
        until_ended(cell, robot, "robot lost", "/joint_states is stale: no reading of ")
        cell.until_closed()
        (recording,) = cell.recordings()
        assert len(frames_of(recording)) == int(cell.diagnostics[-1][1]["frame"]) == 1
    finally:
        robot.renew()
