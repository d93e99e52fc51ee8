"""`autourdf assemble` of bad input: named, and nothing is written, or the result is doubtful."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
import trimesh

from autourdf_ros.cli.main import main


@pytest.fixture(autouse=True)
def terminate():
    """The command changes what SIGTERM does in its process."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "parts"
    made.mkdir()
    return made


def box(extents=(0.1, 0.1, 0.1), centre=(0.0, 0.0, 0.0)):
    mesh = trimesh.creation.box(extents)
    mesh.apply_translation(centre)
    return mesh


def pin_in_ring(scale=1.0):
    """A pin with an arm, in a ring on a foot."""
    arm = box((0.2, 0.06, 0.02), (0.08, 0, 0.07))
    ring = trimesh.creation.annulus(r_min=0.0205, r_max=0.035, height=0.08, sections=32)
    pin = trimesh.util.concatenate([trimesh.creation.cylinder(0.02, 0.12, sections=32), arm])
    foot = trimesh.util.concatenate([ring, box((0.03, 0.2, 0.08), (0, -0.13, 0))])
    return [mesh.apply_scale(scale) for mesh in (pin, foot)]


def put(folder, **meshes):
    for name, mesh in meshes.items():
        mesh.export(folder / f"{name}.ply")


def refused(capsys, parts, out):
    """The one line of an error, after which nothing is at OUT, or beside it."""
    before = sorted(out.parent.iterdir())
    assert main(["assemble", str(parts), "-o", str(out)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert sorted(out.parent.iterdir()) == before
    return error


def test_one_part_is_refused(folder, tmp_path, capsys):
    put(folder, a=box())
    assert "parts: 1 usable part; accepted are two" in refused(capsys, folder, tmp_path / "out")


def test_an_identical_part_in_place_leaves_one(folder, tmp_path, capsys):
    put(folder, a=box(), b=box())
    error = refused(capsys, folder, tmp_path / "out")
    assert "set aside: b (is a duplicate of a at the same place)" in error


def test_an_empty_folder_is_refused(folder, tmp_path, capsys):
    assert "has no mesh files; accepted are .ply" in refused(capsys, folder, tmp_path / "out")


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path, capsys):
    (tmp_path / "parts").write_text("none")
    error = refused(capsys, tmp_path / "parts", tmp_path / "out")
    assert "is of a format that is not read; accepted is a folder of meshes" in error


def test_millimetres_are_refused_by_name(folder, tmp_path, capsys):
    pin, foot = pin_in_ring(scale=1000.0)
    put(folder, pin=pin, foot=foot)
    assert "add --unit mm" in refused(capsys, folder, tmp_path / "out")


def test_parts_of_nan_are_refused_by_name(folder, tmp_path, capsys):
    for name in ("a", "b"):
        lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in box().vertices]
        faces = [f"f {i} {j} {k}" for i, j, k in box().faces + 1]
        (folder / f"{name}.obj").write_text("\n".join(["v nan 0 0", *lines[1:], *faces]))
    error = refused(capsys, folder, tmp_path / "out")
    assert "0 usable part" in error
    assert "a (has 1 vertices that are not finite" in error


def test_an_output_that_is_a_file_is_refused_before_the_work(folder, tmp_path, capsys):
    pin, foot = pin_in_ring()
    put(folder, pin=pin, foot=foot)
    (tmp_path / "out").write_text("mine")
    assert "out: is a file; give a new" in refused(capsys, folder, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_an_output_that_cannot_be_written_is_refused_before_the_work(folder, tmp_path, capsys):
    pin, foot = pin_in_ring()
    put(folder, pin=pin, foot=foot)
    above = tmp_path / "locked"
    above.mkdir(mode=0o555)
    if os.access(above, os.W_OK):  # root may write anywhere, but not below a file
        above = tmp_path / "file"
        above.write_text("mine")
    assert main(["assemble", str(folder), "-o", str(above / "out")]) == 2
    assert re.search(r"cannot be made: \S+ is not a writable folder", capsys.readouterr().err)
    assert not (above / "out").exists()


@pytest.mark.slow
def test_what_cannot_be_used_is_set_aside_and_odd_names_become_legal(folder, tmp_path, capsys):
    pin, foot = pin_in_ring()
    sheet = trimesh.Trimesh([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], [[0, 1, 2], [0, 2, 3]])
    put(folder, **{'pin (1) é<&>"': pin, "fo'ot;$(touch x)": foot, "sheet": sheet})
    out = tmp_path / "out"
    assert main(["assemble", str(folder), "-o", str(out)]) == 0
    document = json.loads((out / "reconstruction.json").read_text())
    links = {link["name"] for link in document["links"]}
    assert links == {"pin__1", "fo_ot___touch_x"}
    assert all(re.fullmatch(r"[A-Za-z0-9_]+", name) for name in links)
    assert not (tmp_path / "x").exists()
    report = json.dumps(document)
    assert "sheet is not used: is degenerate: its vertices lie in a plane" in report
    assert "bad average" not in capsys.readouterr().out


@pytest.mark.slow
def test_an_interrupt_leaves_nothing(folder, tmp_path):
    pin, foot = pin_in_ring()
    put(folder, pin=pin, foot=foot)
    command = [sys.executable, "-m", "autourdf_ros", "assemble", str(folder)]
    command += ["-o", str(tmp_path / "out"), "--progress", "json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout:
            if "sampling" in line or "contacts" in line or "joints" in line:
                process.send_signal(signal.SIGINT)
                break
        _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "cancelled" in error and "Traceback" not in error
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]
