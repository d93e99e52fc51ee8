"""A node ends when the launch that started it is gone, and a robot that it moves is stopped."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from capture_rig import assert_silent, events, is_alive, until_moving
from live import node_process

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common import launch_parent
from autourdf_ros.ros.common.launch_parent import PERIOD, end_with_launch
from autourdf_ros.ros.common.launch_process import LAUNCH_PROCESS, launch_process


@pytest.fixture
def launch():
    """A process that stands for a launch."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def test_a_launch_that_is_killed_stops_the_robot_and_ends_the_node(
    cell, robot, launch, monkeypatch
):
    monkeypatch.setenv(LAUNCH_PROCESS, str(launch.pid))
    capture = cell.start_capture_process(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    assert len(robot.commands) == 1
    launch.kill()  # and nobody waits for it: as a zombie it is gone, too
    assert capture.wait(90) == 0
    cell.until(lambda: len(robot.commands) == 2)
    assert_silent(robot)
    assert "shutting down" in events(cell.recordings()[0])[-1]["reason"]


def test_where_nobody_reads_what_it_says_any_more_it_stops_the_robot_all_the_same(
    cell, robot, launch, monkeypatch
):
    monkeypatch.setenv(LAUNCH_PROCESS, str(launch.pid))
    capture = cell.start_capture_process(speed=0.1)
    cell.start()
    until_moving(cell, robot)
    capture.stdout.close()  # as the pipes of a launch close
    launch.kill()
    assert capture.wait(90) == 0
    cell.until(lambda: len(robot.commands) == 2)
    assert "shutting down" in events(cell.recordings()[0])[-1]["reason"]


def test_a_node_that_a_shell_started_outlives_it(cell):
    command = (
        f"nohup {sys.executable} -m autourdf_ros.ros.slider.slider_node >/dev/null 2>&1 & echo $!"
    )
    shell = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    node = int(shell.stdout)
    try:
        cell.until(lambda: "sliders" in cell.node.get_node_names())
        os.kill(node, signal.SIGHUP)
        time.sleep(3 * PERIOD)
        assert is_alive(node)
    finally:
        os.kill(node, signal.SIGTERM)
        cell.until(lambda: not is_alive(node))


def test_without_a_launch_nothing_is_watched(monkeypatch):
    monkeypatch.delenv(LAUNCH_PROCESS, raising=False)
    before = threading.active_count()
    end_with_launch(threading.Event())
    assert threading.active_count() == before


def test_a_launch_that_was_gone_before_ends_the_node(launch, monkeypatch):
    launch.kill()
    launch.wait()
    monkeypatch.setenv(LAUNCH_PROCESS, str(launch.pid))
    ended = threading.Event()
    end_with_launch(ended)
    assert ended.wait(30)


def test_a_launch_that_lives_ends_nothing(launch, monkeypatch):
    monkeypatch.setenv(LAUNCH_PROCESS, str(launch.pid))
    ended = threading.Event()
    end_with_launch(ended)
    assert not ended.wait(3 * PERIOD)
    ended.set()


def test_a_later_process_of_the_same_number_is_another_one(launch, monkeypatch):
    monkeypatch.setenv(LAUNCH_PROCESS, f"{launch.pid}:1")
    ended = threading.Event()
    end_with_launch(ended)
    assert ended.wait(30)


def test_this_process_is_named_with_its_start(monkeypatch):
    monkeypatch.setenv(LAUNCH_PROCESS, launch_process())
    ended = threading.Event()
    end_with_launch(ended)
    assert not ended.wait(3 * PERIOD)
    ended.set()


def test_a_launch_with_any_bytes_in_its_name_is_watched(tmp_path, monkeypatch):
    program = tmp_path / os.fsdecode(b"\xff) Z \xfe")
    program.symlink_to("/bin/sleep")
    process = subprocess.Popen([program, "600"])
    monkeypatch.setenv(LAUNCH_PROCESS, str(process.pid))
    ended = threading.Event()
    try:
        end_with_launch(ended)
        assert not ended.wait(3 * PERIOD)
    finally:
        process.kill()
        process.wait()
    assert ended.wait(30)


@pytest.mark.parametrize("failure", [PermissionError(13, "denied"), RuntimeError("unforeseen")])
def test_a_launch_that_cannot_be_watched_ends_the_node(failure, launch, monkeypatch):
    def unreadable(process):
        raise failure

    monkeypatch.setattr(launch_parent, "start_of", unreadable)
    monkeypatch.setattr(launch_parent, "PERIOD", 0.01)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    monkeypatch.setenv(LAUNCH_PROCESS, str(launch.pid))
    ended = threading.Event()
    end_with_launch(ended)
    assert ended.wait(30)


def test_a_launch_that_is_unreadable_for_a_moment_ends_nothing(launch, monkeypatch):
    readings = iter([OSError(24, "too many open files")] * 3)
    start = launch_parent.start_of

    def sometimes(process):
        if (error := next(readings, None)) is not None:
            raise error
        return start(process)

    monkeypatch.setattr(launch_parent, "start_of", sometimes)
    monkeypatch.setattr(launch_parent, "PERIOD", 0.01)
    monkeypatch.setenv(LAUNCH_PROCESS, str(launch.pid))
    ended = threading.Event()
    end_with_launch(ended)
    assert not ended.wait(0.5)
    ended.set()


@pytest.mark.parametrize("text", ["launch", "-1", "1.5", "12:x", ":7"])
def test_what_is_no_process_number_is_refused(text, monkeypatch):
    monkeypatch.setenv(LAUNCH_PROCESS, text)
    with pytest.raises(InputError, match=f"{LAUNCH_PROCESS}: '{text}' is no process number"):
        end_with_launch(threading.Event())


def test_a_node_says_so_in_one_line_and_ends_with_2(monkeypatch):
    monkeypatch.setenv(LAUNCH_PROCESS, "launch")
    with node_process("slider_node") as process:
        problem = process.communicate(timeout=90)[0]
    assert problem.startswith(f"sliders: {LAUNCH_PROCESS}: 'launch' is no process number; ")
    assert problem.count("\n") == 1
    assert process.returncode == 2
