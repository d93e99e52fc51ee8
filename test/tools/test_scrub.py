"""Tests of the program that erases the joints of a model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from boxes_urdf import CHAIN

SCRUB = Path(__file__).parents[2] / "tools" / "scrub"


def scrub(*arguments):
    return subprocess.run(
        [sys.executable, SCRUB, *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_case_is_written_and_its_notes_are_printed(tmp_path):
    model = tmp_path / "chain.urdf"
    model.write_text(CHAIN)
    done = scrub(model, tmp_path / "case", "--pose", "slide=0.1")
    assert done.returncode == 0
    assert "3 parts, 2 joints" in done.stdout and "'sensor'" in done.stdout
    truth = json.loads((tmp_path / "case/truth.json").read_text())
    slide = next(joint for joint in truth["joints"] if joint["name"] == "slide")
    assert slide["upper"] == pytest.approx(0.2)


@pytest.mark.slow
def test_an_unknown_model_is_one_line(tmp_path):
    done = scrub("no_such_robot", tmp_path / "case")
    assert done.returncode == 1
    assert done.stderr.startswith("scrub: robot 'no_such_robot'")
    assert not (tmp_path / "case").exists()
