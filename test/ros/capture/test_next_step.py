"""Every stop says what to do next, and which parameter concerns it."""

import os
import re
from pathlib import Path

import pytest
import yaml

from autourdf_ros.ros.capture import next_step as module
from autourdf_ros.ros.capture.next_step import next_step

ROOT = Path(__file__).resolve().parents[3]
DECLARED = yaml.safe_load((ROOT / "config" / "capture.yaml").read_text())["/**/capture"][
    "ros__parameters"
].keys() | {"stop_effort", "use_sim_time", "joint_states", "resume", "home", "keep_out"}
ROWS = [
    row.split(" | ")[1].strip().strip("`")
    for row in (ROOT / "docs" / "capture_faults.md").read_text().splitlines()
    if row.startswith("| ") and row.count(" | ") == 4 and "`" in row.split(" | ")[1]
][1:]
OTHERS = [
    "~/stop was called",
    "the capture node is shutting down",
    "the robot did not come to rest within 5 s (slower than 0.02 rad/s)",
    "the controller refused 5 targets in a row: check whether it is active",
    "the screening refuses the motion: link 'arm' enters keep_out 'table'",
    "joint pan stands at 1.2000; accepted is -1 .. 1: move it there by hand or correct its limits",
]


@pytest.mark.parametrize("reason", [*ROWS, *OTHERS])
def test_every_stop_has_a_next_step_and_its_parameters(reason: str) -> None:
    step = next_step(reason)
    assert step.startswith("next: ") and step.endswith("~/start begins anew")
    if reason == "the same" or reason.startswith(("nothing", "logged")):
        return
    assert module._OTHERWISE not in step, reason
    if "~/stop" not in reason:
        words = set(re.findall(r"[a-z_]+", step))
        assert words & DECLARED, step


def test_there_are_rows_to_check() -> None:
    assert len(ROWS) > 15


def test_a_busy_machine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (7.3, 5.0, 2.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    reason = "/joint_states is stale: no reading of pan for 0.40 s (accepted are 0.39 s)"
    assert "what else loads this machine (7 on 2 cores)" in next_step(reason)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.3, 5.0, 2.0))
    assert "cores" not in next_step(reason)


def test_of_a_complete_recording_nothing_is_left_to_record():
    said = next_step("~/stop was called", complete=True)
    assert said.endswith("the recording is complete, ~/home brings the robot back")
    assert "resume" not in said
