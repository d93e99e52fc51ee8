from pathlib import Path

import numpy as np
import pytest
import yaml

from autourdf_ros.benchmark.cache import cache_folder, recording_of
from autourdf_ros.benchmark.cases.suites import FULL, OBJECTS, QUICK, Case, scale, suite, varied
from autourdf_ros.benchmark.runner import run_cases
from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.progress import silent
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA
from autourdf_ros.simulation.recordings.recorder import RecorderOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

CONFIG = Path(__file__).parents[3] / "config"
SMALL = RecorderOptions(
    sequences=1, frames=2, points=500, cell=CellOptions(cameras=3, width=64, height=64)
)


def test_every_robot_of_the_suites_exists():
    assert len(FULL) == 13
    assert len(QUICK) == 3
    for robot in (*FULL, *QUICK):
        assert find_urdf(robot).is_file()


def test_the_protocol_is_the_papers():
    (case,) = suite("full", 5, ["panda"])
    options = case.options
    assert (options.sequences, options.frames, options.points) == (5, 10, 5000)
    assert (options.cell.cameras, options.point_sigma, options.shift_sigma) == (20, 0.0005, 0.01)
    assert not case.use_readings


def test_a_recording_with_its_truth_is_taken_as_it_is(tmp_path):
    (tmp_path / "truth.json").write_text("{}")
    (case,) = suite("quick", 5, [str(tmp_path)])
    assert case.options is None
    assert recording_of(case, silent) == tmp_path


def test_an_unknown_suite_is_refused():
    with pytest.raises(InputError, match="suite 'easy': accepted are quick, full, hard, cell, few"):
        suite("easy", 5)


def test_the_hard_suite_has_one_difficulty_a_row():
    names = [case.name for case in suite("hard", 1, ["panda"])]
    assert len(set(names)) == len(names) >= 5
    assert any(case.use_readings for case in suite("hard", 1, ["panda"]))
    assert {"laptop", "drawer", "faucet", "linear_axis"} <= {c.name for c in suite("hard", 1)}


def test_a_cell_is_recorded_as_the_capture_node_does():
    cases = suite("cell", 2, ["panda"], seeds=3)
    assert len({case.name for case in cases}) == len(cases) == 6
    assert [case.use_readings for case in cases] == [True, False] * 3
    defaults = yaml.safe_load((CONFIG / "capture.yaml").read_text())
    capture = defaults["/**/capture"]["ros__parameters"]
    for case in cases:
        assert case.options.points == capture["points"] > case.points
        assert (case.options.sequences, case.options.frames) == (2, 10)
        assert case.options.cell.noise == REAL_CAMERA
        assert case.options.excitation == capture["excitation"]
    assert {case.options.seed for case in cases} == {0, 1, 2}


def test_few_frames_have_large_steps():
    cases = suite("few", 1, seeds=2)
    assert len({case.robot for case in cases}) == 5
    for case in cases:
        assert case.options.sequences * case.options.frames == 10
        assert np.degrees([case.options.step.low, case.options.step.high]) == pytest.approx(
            [20, 40]
        )


def test_a_recording_is_rendered_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    case = Case("laptop", next(str(path) for path in OBJECTS if path.stem == "laptop"), SMALL)
    first = recording_of(case, silent)
    written = (first / "truth.json").stat().st_mtime_ns
    assert first.is_relative_to(cache_folder())
    assert recording_of(case, silent) == first
    assert (first / "truth.json").stat().st_mtime_ns == written


@pytest.mark.slow
def test_what_cannot_be_reconstructed_is_a_failed_row_and_not_the_end(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    reported = []
    cases = [Case("no_such_robot", "no_such_robot", SMALL), Case("gone", str(tmp_path), None)]
    rows = run_cases(cases, (1,), silent, reported.append)
    assert reported == rows
    assert "no_such_robot" in rows[0]["error"]
    assert "truth.json" in rows[1]["error"] or "recording" in rows[1]["error"]


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.stem)
def test_the_objects_move_and_are_seen(path):
    robot = SimulatedRobot(path)
    assert all(surface is not None for surface in robot.surfaces)
    assert robot.colliding_links(robot.neutral) is None


def test_the_scale_has_frames_points_and_links():
    options = [case.options for case in scale()]
    assert {option.frames for option in options} >= {10, 500}
    assert {option.points for option in options} >= {1000, 20000}
    assert len({case.robot for case in scale()}) >= 4
    assert len({case.name for case in scale(["panda"])}) == len(scale(["panda"]))


def test_varied_cases_have_each_sequence_first_with_each_draw():
    cases = varied([Case("a", "a", None)], 3, 2)
    assert [(case.first, case.disturbance.seed) for case in cases] == [
        (first, draw) for first in range(3) for draw in range(2)
    ]
    assert len({case.name for case in cases}) == 6
    assert all(case.disturbance.lost_points == 0.1 for case in cases)
