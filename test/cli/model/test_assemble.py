"""`autourdf assemble`, up to and after the estimator, whose own tests are elsewhere."""

import json
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import trimesh
from sample_assembly import cabinet, cabinet_estimate

from autourdf_ros.cli.main import main
from autourdf_ros.cli.terminal.assembly_summary import assembly_summary
from autourdf_ros.errors import CancelledError
from autourdf_ros.workflows import assemble as workflow


@pytest.fixture(autouse=True)
def terminate():
    """The command changes what SIGTERM does in its process."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "cabinet" / "parts"
    folder.mkdir(parents=True)
    for part in cabinet().parts:
        mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
        mesh.export(folder / f"{part.name}.ply")
    return folder


def estimator(monkeypatch, change=lambda estimate: estimate, seen=None):
    """Put a known estimate in the place of the estimator's."""

    def assemble(assembly, model, options, progress, *_):
        if seen is not None:
            seen.append((assembly, options))
        progress("working", 0.5)
        return change(cabinet_estimate(cabinet(assembly.source), options))

    monkeypatch.setattr(workflow, "assemble", assemble)


@pytest.mark.slow
def test_a_result_is_written_and_its_summary_names_what_is_ambiguous(
    parts, tmp_path, monkeypatch, capsys
):
    seen = []
    estimator(monkeypatch, seen=seen)
    out = tmp_path / "out"
    options = ["--method", "mcts", "--root", "lid", "--unit", "m", "--seed", "7", "--mass", "3"]
    assert main(["assemble", str(parts), "-o", str(out), *options]) == 0
    [(assembly, chosen)] = seen
    assert [part.name for part in assembly.parts] == ["cabinet_body", "drawer", "knob", "lid"]
    assert (assembly.name, assembly.reading.unit) == ("cabinet", "m")
    assert (chosen.method, chosen.root, chosen.seed) == ("mcts", "lid", 7)
    printed = capsys.readouterr().out
    row = r"^joint_2 +revolute +cabinet body -> lid +0 \.\. 180° +96% +46% +ambiguous$"
    assert re.search(row, printed, re.M)
    assert "root: cabinet body; 4 parts" in printed
    assert "ambiguous: joint_2: the lid is flush" in printed
    assert f"report  {out}" in printed and f"see it: autourdf view {out}" in printed
    document = json.loads((out / "reconstruction.json").read_text())
    assert document["assumed"]["total_mass"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("form", ["bar", "json"])
def test_a_failed_verdict_is_exit_code_1(parts, tmp_path, monkeypatch, capfd, form):
    def failed(found):
        return replace(found, trace=replace(found.trace, verdict="failed"))

    estimator(monkeypatch, failed)
    out = tmp_path / "out"
    assert main(["assemble", str(parts), "-o", str(out), "--progress", form]) == 1
    last = capfd.readouterr().out.splitlines()[-1]
    if form == "json":
        assert json.loads(last) == {"result": str(out), "verdict": "failed"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--root", "door"], r"--root door: is no part; accepted are cabinet_body, drawer, knob"),
        (["--show-shapes"], r"--show-shapes: there are none with --shapes mesh"),
        (["--unit", "in"], None),
    ],
)
def test_unusable_choices_are_refused_before_the_work(
    parts, tmp_path, monkeypatch, capsys, options, message
):
    estimator(monkeypatch, lambda _: pytest.fail("is refused before"))
    if message is None:
        parts = parts / "none"
        message = r"none: does not exist; accepted is a folder of meshes"
    assert main(["assemble", str(parts), "-o", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error) and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", [["--method", "guess"], ["--unit", "ell"], ["--seed", "x"]])
def test_unknown_values_are_usage_errors(parts, tmp_path, option):
    with pytest.raises(SystemExit) as ended:
        main(["assemble", str(parts), "-o", str(tmp_path / "out"), *option])
    assert ended.value.code == 2


def test_cancelled_work_leaves_nothing(parts, tmp_path, monkeypatch, capsys):
    def cancel(found):
        raise CancelledError("cancelled")

    estimator(monkeypatch, cancel)
    assert main(["assemble", str(parts), "-o", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err.endswith("autourdf assemble: cancelled\n")
    assert not (tmp_path / "out").exists()


def test_the_summary_says_nothing_of_what_is_unknown():
    found = cabinet_estimate()
    document = {"verdict": "trusted", "checks": []}
    text = assembly_summary(found, document, Path("out"))
    assert re.search(r"^joint_3 +continuous +lid -> knob +- +97% +93%$", text, re.M)
