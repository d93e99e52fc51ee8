"""One case of mechanisms from simulated images to its row."""

import json

import pytest

from autourdf_ros.benchmark.mechanisms.mechanism_case import MechanismCase, mechanism_cases_in
from autourdf_ros.benchmark.mechanisms.mechanism_runner import run_mechanism_cases
from autourdf_ros.benchmark.mechanisms.mechanism_table import mechanism_table
from autourdf_ros.progress import silent
from autourdf_ros.simulation.mechanisms.mechanism_files import write_mechanism_video
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record

pytestmark = pytest.mark.slow

FRAMES, SIZE = 60, (160, 120)


def _measured(case):
    (row,) = run_mechanism_cases([case], silent, lambda row: None)
    assert "error" not in row, row["error"]
    assert json.loads(json.dumps(row)) == row
    return row


def test_a_simulated_scene_has_all_figures():
    row = _measured(MechanismCase("driven_cart_pole", 1, frames=FRAMES, size=SIZE))
    assert row["driven"] and row["joints"]["right"]
    assert row["tracking"]["position"] < 0.002 and row["tracking"]["angle"] < 0.01
    assert row["joints"]["axis"] < 0.02 and row["joints"]["pivot"] < 0.004
    assert row["parameters"]["nmae"] < 0.1
    assert len(row["parameters"]["each"]) == len(row["parameters"]["inside"]) == 5
    assert row["forecast"]["ssim"] > 0.95 and row["forecast"]["skill"] > 0.5
    assert row["seconds"]["frame"] * FRAMES == pytest.approx(row["seconds"]["tracking"])
    assert row["memory"] > 0 and row["dynamics_seconds"] > 0


def test_a_folder_of_ones_own_has_all_figures_but_the_forecast(tmp_path):
    scene = mechanism_scene("drawer").sample(2)
    video, truth = record(scene, 2, VideoOptions(frames=FRAMES, size=SIZE))
    write_mechanism_video(scene, video, truth, tmp_path / "drawer", 2)
    (case,) = mechanism_cases_in(tmp_path, ["likelihood"])
    row = _measured(case)
    assert row["driven"] and row["joints"]["right"] and row["forecast"] is None
    assert row["tracking"]["position"] < 0.002
    assert row["parameters"]["nmae"] < 0.5
    assert "drawer" in mechanism_table([row])
