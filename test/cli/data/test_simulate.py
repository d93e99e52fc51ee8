"""`autourdf simulate` as it is typed."""

import json

import numpy as np
import pytest
from toy_robot import write_toy

from autourdf_ros.cli import main as cli
from autourdf_ros.data.load import load_recording


@pytest.fixture
def toy(tmp_path):
    return str(write_toy(tmp_path))


def simulate(*arguments):
    return cli.main(["simulate", *map(str, arguments)])


@pytest.mark.slow
@pytest.mark.parametrize(("form", "noise"), [("bag", "real"), ("folder", "none")])
def test_writes_a_recording_with_its_truth(toy, tmp_path, capsys, form, noise):
    out = tmp_path / "recording"
    arguments = ["--sequences", 2, "--frames", 2, "--cameras", 2, "--points", 300, "--seed", 5]
    assert simulate(toy, "-o", out, "--format", form, "--noise", noise, *arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == str(out)
    assert f"truth: {out / 'truth.json'}" in printed.err and "next: autourdf" in printed.err
    recording = load_recording(out)
    assert [len(sequence.frames) for sequence in recording.sequences] == [2, 2]
    assert all(100 < len(frame.points) <= 300 for frame in recording.frames)
    truth = json.loads((out / "truth.json").read_text())
    assert len(truth["joints"]) == 6 and truth["seed"] == 5


def test_shift_is_an_option(toy, tmp_path):
    arguments = ["--sequences", 1, "--frames", 3, "--cameras", 2, "--points", 200]
    assert (
        simulate(toy, "-o", tmp_path / "out", "--noise", "none", "--shift", 0.05, *arguments) == 0
    )
    truth = json.loads((tmp_path / "out" / "truth.json").read_text())
    shifts = [frame["shift"] for frame in truth["sequences"][0]["frames"]]
    assert shifts[0] == [0, 0, 0] and all(any(shift) for shift in shifts[1:])


@pytest.mark.slow
def test_joints_can_move_one_by_one(toy, tmp_path):
    arguments = ["--sequences", 1, "--frames", 6, "--cameras", 2, "--points", 200]
    out = tmp_path / "out"
    assert simulate(toy, "-o", out, "--excitation", "one_joint", *arguments) == 0
    frames = load_recording(out).frames
    readings = np.array([list(frame.joint_positions.values()) for frame in frames])
    moved = np.abs(np.diff(readings, axis=0)) > 1e-4
    assert (moved.sum(axis=1) == 1).all() and (moved.sum(axis=0) == 1).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ur5_griper", "-o", "OUT"], "near matches: ur5_gripper"),
        (["missing.urdf", "-o", "OUT"], "'missing.urdf': no such file"),
        (["TOY", "-o", "OUT", "--frames", "0"], "--frames is 0; accepted is 1 or more"),
        (["TOY", "-o", "OUT", "--seed", "-3"], "--seed is -3"),
        (["TOY", "-o", "OUT", "--shift", "-1"], "--shift is -1.0 m; accepted is 0 or more"),
        (["TOY", "-o", "OUT", "--shift", "nan"], "--shift is nan"),
        (["TOY", "-o", "TAKEN"], "taken"),
    ],
)
def test_one_line_and_exit_code_2_for_unusable_arguments(toy, tmp_path, capsys, arguments, message):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    places = {"TOY": toy, "OUT": tmp_path / "out", "TAKEN": tmp_path / "taken"}
    assert simulate(*(places.get(argument, argument) for argument in arguments)) == 2
    error = capsys.readouterr().err
    assert message in error and error.startswith("autourdf simulate: ") and error.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
