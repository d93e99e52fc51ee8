"""The capture node and the robot killed at random moments: what was recorded stays."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from capture_rig import is_alive, until_ended, until_moving

from autourdf_ros.data.load import load_recording

pytestmark = pytest.mark.timeout(900)
KILLS = 12


def children(process: int) -> list[int]:
    """Of all its threads."""
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def kill(process: int):
    os.kill(process, signal.SIGKILL)


def frames_of(recording: Path) -> dict[float, bytes]:
    """The points of each frame by its stamp."""
    return {frame.stamp: frame.points.tobytes() for frame in load_recording(recording).frames}


def test_kills_at_random_moments_lose_no_frame(cell, robot, forks):
    draw = random.Random(0)
    recording, known = "", {}
    for number in range(KILLS):
        cell.diagnostics.clear()
        changes = {"resume": recording, "autostart": True, "frames": 50}
        node = forks.start(cell, **changes, seed=number)
        cell.until_frame(draw.randint(0, 2) if recording else 1)
        time.sleep(draw.uniform(0.0, 0.3))
        assert "/dev/shm/fastdds" not in Path(f"/proc/{node}/maps").read_text()
        recorders = children(node)
        reported = int(cell.diagnostics[-1][1]["frame"])
        kill(node)
        for recorder in recorders if number % 2 else ():  # as when the power fails
            kill(recorder)
        cell.until(lambda ended=(node, *recorders): not any(map(is_alive, ended)))
        recording = recording or str(cell.recordings()[0])
        found = frames_of(Path(recording))
        assert known.items() <= found.items()
        assert len(found) >= len(known) + reported
        known = found
    assert len(known) >= KILLS // 2
    print(f"FAULT node killed {KILLS} times: {len(known)} frames kept")
    cell.start_capture(resume=recording, sequences=1, frames=2)
    cell.start()
    cell.until(lambda: cell.completed)
    assert len(frames_of(Path(recording))) == len(known) + 2


def test_a_lost_robot_is_said_and_what_was_recorded_is_kept(cell, robot):
    cell.start_capture(speed=0.03, joint_state_timeout=0.0)
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
