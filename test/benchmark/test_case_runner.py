"""Measurements in processes of their own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from autourdf_ros.benchmark.case_runner import row_by
from autourdf_ros.errors import AutourdfError

ANSWERS = """
import json, pickle, sys
print("so far")
print(json.dumps(pickle.load(sys.stdin.buffer)))
"""
SLEEPS = """
import os, pathlib, time
pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
time.sleep(300)
"""


@pytest.mark.slow
def test_a_crash_is_an_error_with_what_it_printed(tmp_path, monkeypatch):
    (tmp_path / "crashes.py").write_text("raise SystemExit('no such robot')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(AutourdfError, match="exit code 1: no such robot"):
        row_by("crashes", None)
    (tmp_path / "answers.py").write_text(ANSWERS)
    assert row_by("answers", {"seed": 3}) == {"seed": 3}


@pytest.mark.slow
def test_who_is_killed_leaves_no_measurement_behind(tmp_path):
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    code = "from autourdf_ros.benchmark.case_runner import row_by; row_by('sleeps', None)"
    here = str(Path(__file__).parents[2])
    paths = os.pathsep.join([str(tmp_path), here])
    worker = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": paths})
    pid = tmp_path / "pid"
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    measured = psutil.Process(int(pid.read_text()))
    worker.kill()
    worker.wait()
    psutil.wait_procs([measured], timeout=20)
    assert not measured.is_running()
