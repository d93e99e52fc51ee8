"""`autourdf upgrade` and `autourdf rollback`."""

import json
import shutil
from pathlib import Path

import pytest

from autourdf_ros.cli.main import main
from autourdf_ros.export.versions import versions_folder
from autourdf_ros.model.document.self_model_reading import read_self_model

VERSION_1 = Path(__file__).parents[2] / "model" / "document" / "version_1"
FIGURES = ("parts", "meshes", "tree", "joints", "residuals", "model_order")


@pytest.fixture
def old(tmp_path):
    """A folder that version 1 wrote; its packages are left out, its figures stand-ins."""
    out = shutil.copytree(VERSION_1, tmp_path / "arm")
    (out / "figures").mkdir()
    for name in FIGURES:
        (out / "figures" / f"{name}.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    return out


def version(folder):
    return json.loads((folder / "reconstruction.json").read_text())["version"]


@pytest.mark.slow
def test_an_old_folder_is_upgraded_and_rolled_back(old, capsys):
    urdf = (old / "robot.urdf").read_bytes()
    assert main(["upgrade", str(old)]) == 0
    assert "is upgraded" in capsys.readouterr().out
    assert version(old) == 2 and (old / "robot.urdf").read_bytes() == urdf
    assert list(read_self_model(old).layers) == ["kinematics", "shape", "inertia"]
    for name in ("robot.srdf", "robot.mjcf.xml", "report.html", "arm_moveit_config"):
        assert (old / name).exists()
    assert main(["check", str(old)]) == 0
    capsys.readouterr()
    assert main(["upgrade", str(old)]) == 0
    assert "was up to date" in capsys.readouterr().out
    assert main(["rollback", str(old)]) == 0
    printed = capsys.readouterr().out
    assert "its layers: kinematics" in printed and "earlier versions kept: 0" in printed
    assert not versions_folder(old).exists()
    assert version(old) == 1 and not (old / "report.html").exists()
    assert main(["rollback", str(old)]) == 2
    assert f"{old}: has no earlier version" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["tree.svg", "parts.svg", None])
def test_missing_figures_are_left_out_of_the_page(missing, old):
    if missing is None:
        shutil.rmtree(old / "figures")
    else:
        (old / "figures" / missing).unlink()
    assert main(["upgrade", str(old)]) == 0
    assert version(old) == 2 and (old / "figures" / "meshes.svg").is_file()
    page = (old / "report.html").read_text()
    assert f"no figure of this name: {missing or 'tree.svg'}" in page
    assert "no figure of this name: meshes.svg" not in page
    assert main(["rollback", str(old)]) == 0


def test_verbose_prints_the_trace_of_an_error(old, capsys):
    (old / "reconstruction.json").unlink()
    assert main(["upgrade", str(old), "-v"]) == 2
    printed = capsys.readouterr().err
    assert "Traceback" in printed and "InputError" in printed and "NoneType" not in printed


@pytest.mark.parametrize("command", ["upgrade", "rollback"])
def test_what_is_no_result_is_named(command, old, tmp_path, capsys):
    assert main([command, str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
    (old / "reconstruction.json").write_text('{"format": "autourdf_ros/reconstruction"}')
    assert main([command, str(old)]) == 2
    assert "version None" in capsys.readouterr().err
    assert not versions_folder(old).exists()


def test_a_damaged_folder_stays_as_it_is(old, capsys):
    document = json.loads((old / "reconstruction.json").read_text())
    document["joints"][0]["axis"] = [0, 0, 0]
    (old / "reconstruction.json").write_text(json.dumps(document))
    assert main(["upgrade", str(old)]) == 2
    assert "axis of length 0" in capsys.readouterr().err
    assert version(old) == 1 and [path.name for path in old.parent.iterdir()] == ["arm"]


@pytest.mark.slow
def test_a_failed_verdict_is_exit_code_1(old):
    document = json.loads((old / "reconstruction.json").read_text())
    (old / "reconstruction.json").write_text(json.dumps({**document, "verdict": "failed"}))
    assert main(["upgrade", str(old)]) == 1
    assert main(["rollback", str(old)]) == 1


def test_meshes_of_others_are_refused(old, capsys):
    text = (old / "robot.urdf").read_text()
    (old / "robot.urdf").write_text(text.replace("meshes/visual/link_0", "../visual/link_0"))
    assert main(["upgrade", str(old)]) == 2
    assert "not in it" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["upgrade", "rollback"])
def test_help_names_the_exit_codes(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0 and "exit codes: 0" in capsys.readouterr().out
