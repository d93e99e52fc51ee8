"""`autourdf check`: exit codes, table and JSON."""

import json

import pytest
from small_robot import document, write_robot

from autourdf_ros.cli.main import main


@pytest.mark.slow
def test_a_right_result_passes(tmp_path, capsys):
    write_robot(tmp_path)
    (tmp_path / "reconstruction.json").write_text(json.dumps(document([[0, 0]])))
    assert main(["check", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["✓", "parses", "3", "links,", "2", "joints"]
    assert printed[-1] == "14 of 14 checks passed, 0 skipped"


@pytest.mark.slow
def test_what_fails_is_in_the_table_and_in_the_json(tmp_path, capsys):
    names = ("small", "base_link", "arm", "slider", "lift", "slide")
    edits = [(f'"{name}"', f'"{name}.1"') for name in names]
    edits.append(('"meshes/arm.stl', '"meshes/leg.stl'))
    urdf = str(write_robot(tmp_path, *edits))
    assert main(["check", urdf]) == 1
    printed = capsys.readouterr().out
    assert "✗ meshes exist  " in printed and "– no self-collision  " in printed  # noqa: RUF001
    assert "and 1 more (--json shows all)" in printed
    assert "1 skipped; failed: loads in MuJoCo, loads in Pinocchio, loads in PyB" in printed
    assert main(["check", urdf, "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)
    assert sum(f["check"] == "names" and f["outcome"] == "failed" for f in findings) == 6
    assert all(set(f) == {"check", "outcome", "message"} for f in findings)


def test_unusable_input_is_exit_code_2(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none.urdf")]) == 2
    assert "none.urdf: cannot be read" in capsys.readouterr().err
    (tmp_path / "README.md").write_text("# no XML")
    for name in ("none.urdf", "README.md"):
        assert main(["check", str(tmp_path / name)]) == 2
        assert "; accepted is a result folder or a URDF file" in capsys.readouterr().err
