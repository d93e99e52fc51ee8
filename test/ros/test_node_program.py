"""Ctrl-C while a node still imports ends it at once, without a traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autourdf_ros.ros.common.launch_process import LAUNCH_PROCESS, start_of

ROOT = Path(__file__).resolve().parents[2]
NODES = sorted(file.stem for file in (ROOT / "autourdf_ros" / "ros").rglob("*_node.py"))
# In place of rclpy, which all nodes import.
SLOW = "import time\nprint('importing', flush=True)\ntime.sleep(60)\n"


@pytest.mark.parametrize("node", NODES[:2])
def test_an_interrupt_during_imports_prints_nothing(node: str, tmp_path: Path) -> None:
    (tmp_path / "rclpy.py").write_text(SLOW)
    program = tmp_path / node
    program.write_text("from autourdf_ros.ros.node_program import main\nmain()\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1"}
    process = subprocess.Popen(
        [sys.executable, str(program)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert errors == ""
    assert process.returncode == -signal.SIGINT


def test_every_executable_starts_its_own_node(monkeypatch: pytest.MonkeyPatch) -> None:
    from autourdf_ros.ros import node_program

    called: list[str] = []
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # of this process, pytest's own
    monkeypatch.setattr(
        node_program,
        "import_module",
        lambda name: type("Module", (), {"main": staticmethod(lambda: called.append(name) or 0)}),
    )
    monkeypatch.setattr(sys, "argv", ["/opt/lib/autourdf_ros/capture_node", "--ros-args"])
    assert node_program.main() == 0
    assert called == ["autourdf_ros.ros.capture.capture_node"]


def test_a_launch_that_is_gone_during_imports_ends_the_node(tmp_path: Path) -> None:
    (tmp_path / "rclpy.py").write_text(SLOW)
    program = tmp_path / NODES[0]
    program.write_text("from autourdf_ros.ros.node_program import main\nmain()\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    launch = subprocess.Popen(["sleep", "60"])
    named = f"{launch.pid}:{start_of(launch.pid)}"
    environment = {**os.environ, "PYTHONPATH": path, "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1"}
    process = subprocess.Popen(
        [sys.executable, str(program)],
        env=environment | {LAUNCH_PROCESS: named},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "importing\n"
        launch.kill()
        launch.wait()
        assert process.wait(30) == 0
    finally:
        process.kill()
        launch.kill()
