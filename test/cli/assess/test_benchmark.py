import json

import pytest

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
