"""The demo's command with real nodes on a private domain."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]  # four nodes start, and each loads a lot


def demo(*arguments, **options):
    command = [sys.executable, "-m", "autourdf_ros", "demo", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, **options
    )


def processes_of(output):
    """Process ids of the nodes with parameters below the folder, and of the page that shows it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
        except (OSError, NotADirectoryError):
            continue
        if (
            entry.name.isdecimal()
            and str(output) in command
            and ("autourdf_ros.ros" in command or "--live" in command)
        ):
            found.append(int(entry.name))
    return found


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_it_is_interrupted(tmp_path, number):
    output = tmp_path / "out"
    process = demo("--output", output, "--view")
    try:
        assert wait_for(lambda: len(processes_of(output)) >= 4, 150)
        process.send_signal(number)
        text, _ = process.communicate(timeout=90)
    finally:
        process.kill()
    assert wait_for(lambda: not processes_of(output), 40)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert b"autourdf demo: cancelled" in text


def test_a_node_that_dies_is_named_and_the_others_end(tmp_path):
    output = tmp_path / "out"
    process = demo("--output", output)
    try:
        assert wait_for(lambda: len(processes_of(output)) >= 3, 150)
        time.sleep(1.0)
        os.kill(processes_of(output)[0], signal.SIGKILL)
        text, _ = process.communicate(timeout=90)
    finally:
        process.kill()
    assert process.returncode == 1
    assert b"ended (signal 9)" in text
    assert wait_for(lambda: not processes_of(output), 40)


def test_an_unknown_robot_is_exit_code_2(tmp_path):
    process = demo("--robot", "ur5_griper", "--output", tmp_path / "out")
    text, _ = process.communicate(timeout=90)
    assert process.returncode == 2
    assert b"ur5_gripper" in text
    assert not (tmp_path / "out").exists()
