"""A process that waits for a file before it becomes its command."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autourdf_ros.ros.common.launch_process import LAUNCH_PROCESS, start_of
from autourdf_ros.ros.launching.start_after import prefix

SAY = [sys.executable, "-c", "import os; print('started', os.getpid())"]


@pytest.fixture
def waiting(tmp_path):
    """A process that waits for a file of an odd name, and the file."""
    file = tmp_path / "the cell's truth.json"
    launch = subprocess.Popen(["sleep", "60"])
    process = subprocess.Popen(
        [*shlex.split(prefix(file)), *SAY],
        stdout=subprocess.PIPE,
        env=os.environ | {LAUNCH_PROCESS: f"{launch.pid}:{start_of(launch.pid)}"},
        text=True,
    )
    yield process, file, launch
    for one in (process, launch):
        one.kill()
        one.communicate()


def until_listening(process):
    """Until it watches its launch, in a thread of its own; an interrupt then ends it at once."""
    deadline = time.monotonic() + 60
    while len(list(Path(f"/proc/{process.pid}/task").iterdir())) < 2:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


def test_it_becomes_the_command_once_the_file_is_there(waiting):
    process, file, _ = waiting
    until_listening(process)
    file.touch()
    assert process.communicate(timeout=60)[0] == f"started {process.pid}\n"
    assert process.returncode == 0


def test_an_interrupt_ends_it(waiting):
    process, _, _ = waiting
    until_listening(process)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "" and process.returncode == -signal.SIGINT


def test_it_ends_with_its_launch(waiting):
    process, _, launch = waiting
    until_listening(process)
    launch.kill()
    launch.wait()
    assert process.communicate(timeout=60)[0] == "" and process.returncode == 0
