"""The suite of mechanisms: cases, rows, table and command."""

import json
from itertools import pairwise

import pytest

from autourdf_ros.benchmark import case_runner
from autourdf_ros.benchmark.case_runner import run_each
from autourdf_ros.benchmark.mechanisms.mechanism_case import (
    FILES,
    SCENE_NAMES,
    MechanismCase,
    mechanism_cases,
    mechanism_cases_in,
)
from autourdf_ros.benchmark.mechanisms.mechanism_table import HEAD, mechanism_table
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.cli.main import main
from autourdf_ros.errors import InputError
from autourdf_ros.progress import silent
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES


def _row(case, **changed):
    row = {
        **case.title(),
        "tracking": {"position": 0.0005, "angle": 0.001, "both": 0.00075},
        "joints": {"right": True, "axis": 0.002, "pivot": 0.0007, "found": "world-fixed-box"},
        "seconds": {"tracking": 4.0, "joints": 2.0, "frame": 0.02},
        "parameters": {"nmae": 0.2, "nmae_up_to_scale": 0.004, "inside": [True, True, False]},
        "dynamics_seconds": 1.0,
        "forecast": {"mse": 1e-4, "mae": 2e-4, "ssim": 0.998, "skill": 0.97},
        "memory": 300.0,
    }
    return row | changed


def _cells(rows):
    """The table's lines as columns by name, with the first lines of text after it."""
    lines = mechanism_table(rows).splitlines()
    starts = [0]
    for before, name in pairwise(HEAD):
        starts.append(lines[0].index(name, starts[-1] + len(before)))
    ends = [*starts[1:], None]
    return [
        {n: line[a:b].strip() for n, a, b in zip(HEAD, starts, ends, strict=True)}
        for line in lines[2 : lines.index("")]
    ]


@pytest.fixture
def measured(monkeypatch):
    """The cases that were measured, in place of what takes a minute."""
    cases = []

    def measure(case):
        cases.append(case)
        if case.seed == 9:
            return {**case.title(), "error": "ended with exit code 1: out of memory"}
        return _row(case)

    monkeypatch.setattr(case_runner, "measured_apart", measure)
    return cases


def _folder(place):
    for name in FILES:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("{}")
    return place


def test_the_suite_has_all_scenes():
    assert set(SCENE_NAMES) == set(SCENES)
    cases = mechanism_cases(SCENE_NAMES, ("likelihood", "ransac"), 3)
    assert len({str(case.key()) for case in cases}) == len(SCENE_NAMES) * 2 * 3


def test_unknown_scenes_and_folders_without_cases_are_refused(tmp_path):
    with pytest.raises(InputError, match="--robots sofa: accepted are cart_pole"):
        mechanism_cases(["sofa"], ["ransac"], 1)
    (tmp_path / "transforms.json").write_text("{}")
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="accepted are folders with"):
            mechanism_cases_in(folder, ["ransac"])


def test_a_changed_video_is_another_case(tmp_path):
    place = _folder(tmp_path / "mine")
    (case,) = mechanism_cases_in(tmp_path, ["likelihood"])
    before = case.key()
    assert case.name == "mine" and before == case.key()
    (place / "0001.png").write_bytes(b"depth")
    assert case.key() != before


def test_a_suite_that_was_cut_off_goes_on_and_failures_are_tried_again(measured, tmp_path):
    cases = [MechanismCase("door", seed) for seed in (0, 1, 9)]
    path, reported = tmp_path / "rows.jsonl", []
    run_each(cases[:1], silent, reported.append, RowFile(path))
    rows = run_each(cases, silent, reported.append, RowFile(path))
    assert [case.seed for case in measured] == [0, 1, 9]
    run_each(cases, silent, reported.append, RowFile(path))
    assert [case.seed for case in measured] == [0, 1, 9, 9]
    assert [row["seed"] for row in rows] == [0, 1, 9] and len(reported) == 7


def test_the_table_states_medians_of_what_is_known():
    door = [MechanismCase("door", seed) for seed in range(4)]
    wrong = {"right": False, "axis": 0.5, "pivot": None, "found": "world-fixed-door"}
    rows = [
        _row(door[0]),
        _row(door[1], parameters={"nmae": 0.4, "nmae_up_to_scale": 0.006, "inside": [True]}),
        _row(door[2], joints=wrong, parameters=None, forecast=None),
        {**door[3].title(), "error": "ended with exit code 1"},
    ]
    line, paper = _cells(rows)
    expected = {"runs": "4", "pos mm": "0.500", "right": "50%", "axis °": "0.115", "NMAE": "0.3000"}
    expected |= {"to scale": "0.0050", "2 std": "0.75", "ms/frame": "20", "s": "3.0"}
    assert expected.items() <= line.items()
    assert paper["mean"] == "0.024" and paper["NMAE"] == "0.161" and paper["SSIM"] == "0.9452"
    assert "FAILED door, seed 3, likelihood: ended with exit code 1" in mechanism_table(rows)


def test_the_command_prints_the_table_and_keeps_rows(measured, tmp_path, capsys):
    rows, saved = tmp_path / "rows.jsonl", tmp_path / "all.json"
    own = ["benchmark", "--suite", "mechanisms", "--robots", "door", "--draws", "2"]
    methods = ["--method", "likelihood", "ransac"]
    assert main([*own, *methods, "--rows", str(rows), "--save", str(saved)]) == 0
    assert [(case.seed, case.method) for case in measured] == [
        (seed, method) for seed in range(2) for method in ("likelihood", "ransac")
    ]
    printed = capsys.readouterr()
    assert printed.out.startswith("scene") and "Heiden et al." in printed.out
    assert "door, seed 1, ransac: joints right" in printed.err
    content = json.loads(saved.read_text())
    assert content["suite"] == "mechanisms" and len(content["rows"]) == 4
    assert len(rows.read_text().splitlines()) == 4


def test_the_command_takes_folders_and_a_failure_is_exit_code_1(measured, tmp_path, capsys):
    _folder(tmp_path / "mine")
    assert main(["benchmark", "--suite", "mechanisms", "--data", str(tmp_path)]) == 0
    assert [case.folder for case in measured] == [tmp_path / "mine"]
    arguments = ["benchmark", "--suite", "mechanisms", "--robots", "door", "--draws", "10"]
    assert main(arguments) == 1
    assert "FAILED ended with exit code 1: out of memory" in capsys.readouterr().err


def test_unknown_shapes_are_cases_and_lines_of_their_own(measured, capsys):
    own = ["benchmark", "--suite", "mechanisms", "--robots", "door", "--draws", "1"]
    assert main([*own, "--shapes", "unknown"]) == 0
    assert [case.shapes for case in measured] == ["unknown"]
    assert "likelihood, no shapes" in capsys.readouterr().out
    given, unknown = (MechanismCase("door", shapes=shapes) for shapes in ("given", "unknown"))
    assert given.key() != unknown.key()
    lines = _cells([_row(given), _row(unknown, parameters=None)])
    assert [line["NMAE"] for line in lines[:2]] == ["0.2000", "-"]


def test_options_of_other_suites_are_refused(measured, capsys):
    assert main(["benchmark", "--suite", "mechanisms", "--method", "engine"]) == 2
    assert main(["benchmark", "--suite", "mechanisms", "--scale"]) == 2
    assert "--scale: is not for --suite mechanisms" in capsys.readouterr().err
    assert not measured
