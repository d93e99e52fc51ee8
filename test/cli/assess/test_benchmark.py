import json

import pytest
from benchmark.test_benchmark_table import row
from skeletons import arm

from autourdf_ros.benchmark import runner
from autourdf_ros.cli.main import main


@pytest.mark.parametrize(
    ("content", "complaint"), [(None, "cannot be read"), ("[]", "is no JSON"), ("{", "is no JSON")]
)
def test_an_unusable_earlier_run_is_reported_before_anything_is_measured(
    tmp_path, capsys, content, complaint
):
    old = tmp_path / "old.json"
    if content is not None:
        old.write_text(content)
    assert main(["benchmark", "--compare", str(old)]) == 2
    assert complaint in capsys.readouterr().err


def test_an_unknown_robot_is_reported_before_anything_is_measured(capsys):
    assert main(["benchmark", "--robots", "panda", "no_such_robot"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "robot 'no_such_robot'" in printed.err


@pytest.mark.slow
def test_a_crash_is_reported_and_is_exit_code_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    broken = tmp_path / "no_frames"
    broken.mkdir()
    (broken / "truth.json").write_text("{}")
    (tmp_path / "old.json").write_text('{"rows": []}')
    arguments = ["--robots", str(broken), "--save", str(tmp_path / "new.json")]
    compare = ["--compare", str(tmp_path / "old.json"), "--json"]
    assert main(["benchmark", *arguments, *compare]) == 1
    printed = capsys.readouterr()
    saved = json.loads((tmp_path / "new.json").read_text())
    assert json.loads(printed.out) == saved
    assert "no_frames" in saved["rows"][0]["error"]
    assert "no_frames x5: new" in printed.err


def test_figures_of_another_version_are_refused_by_name(tmp_path, capsys):
    earlier = tmp_path / "old.json"
    earlier.write_text('{"format": "autourdf_ros/benchmark", "version": 7, "rows": []}')
    assert main(["benchmark", "--compare", str(earlier)]) == 2
    assert "has version 7; accepted is 1" in capsys.readouterr().err


def test_rows_are_kept_and_cases_come_from_a_folder(tmp_path, capsys, monkeypatch):
    runs = []

    def measure(case, sequences, progress):
        runs.append(case.name)
        return row(case.name, arm(), sequences=sequences)

    monkeypatch.setattr(runner, "measured", measure)
    for name in ("drawer", "fan"):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "truth.json").write_text("{}")
    (tmp_path / "data" / "notes").mkdir()
    rows = str(tmp_path / "rows.jsonl")
    arguments = ["benchmark", "--data", str(tmp_path / "data"), "--rows", rows, "--json"]
    assert main(arguments) == main(arguments) == 0
    assert runs == ["drawer", "fan"]
    printed = capsys.readouterr().out
    assert printed.count('"drawer"') == 2


def test_a_folder_without_recordings_is_refused(tmp_path, capsys):
    assert main(["benchmark", "--data", str(tmp_path)]) == 2
    assert f"{tmp_path}: contains no recording" in capsys.readouterr().err


@pytest.mark.parametrize("other", [("--suite", "hard"), ("--scale",)])
def test_recordings_are_for_the_suites_that_record_nothing(tmp_path, capsys, other):
    assert main(["benchmark", "--data", str(tmp_path), *other]) == 2
    assert "--data: is for --suite quick and full" in capsys.readouterr().err


def test_methods_of_another_suite_are_refused(capsys):
    assert main(["benchmark", "--suite", "parts", "--method", "engine"]) == 2
    assert "accepted: symmetry, mcts" in capsys.readouterr().err
    assert main(["benchmark", "--method", "symmetry"]) == 2
    assert "accepted: engine, autourdf" in capsys.readouterr().err


def test_parts_refuse_options_of_motion_and_folders_without_cases(tmp_path, capsys):
    assert main(["benchmark", "--suite", "parts", "--scale"]) == 2
    assert "--scale: is not for --suite parts" in capsys.readouterr().err
    assert main(["benchmark", "--suite", "parts", "--data", str(tmp_path)]) == 2
    assert f"{tmp_path}: contains no case" in capsys.readouterr().err
