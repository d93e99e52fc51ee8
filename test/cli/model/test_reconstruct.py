"""`autourdf reconstruct`, up to and after the engine, whose own tests are elsewhere."""

import json
import os
import pickle
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from argparse import ArgumentParser

import numpy as np
import pytest
import yaml
from synthetic_robot import arm_reconstruction, folded

from autourdf_ros.cli.model import reconstruct as command
from autourdf_ros.cli.terminal.progress_lines import ProgressLines
from autourdf_ros.cli.terminal.summary import summary
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.errors import AutourdfError, CancelledError, InputError
from autourdf_ros.estimation.motion.network_options import PAPER_RATES, NeuralOptions
from autourdf_ros.workflows import reconstruct as workflow

RECONSTRUCTION = arm_reconstruction(count=60, frames=3)


@pytest.fixture(autouse=True)
def terminate():
    """The command changes what SIGTERM does in its process."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def recording(tmp_path):
    """A recording of as many frames as the reconstruction, all alike: nothing moves in it."""
    points = RECONSTRUCTION.reference_points.astype(np.float32)
    with RecordingWriter(tmp_path / "still") as writer:
        for name in ("0000", "0001"):
            writer.start_sequence(name)
            for index in range(3):
                writer.write_frame(Frame(points, None, float(index), {"slide": 0.02}))
    return tmp_path / "still"


def run(*arguments):
    parser = ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(argument) for argument in arguments]))


def engine(monkeypatch, reconstruction, seen=None):
    """Put the known reconstruction in the place of the engine's."""

    def reconstruct(recording, options, progress, prior, begun):
        if seen is not None:
            seen.append((recording, options))
        progress("working", 0.5)
        return reconstruction

    monkeypatch.setattr(workflow, "reconstruct", reconstruct)


@pytest.mark.slow
def test_it_writes_the_result_and_reports_what_it_found(recording, tmp_path, monkeypatch, capsys):
    seen = []
    engine(monkeypatch, RECONSTRUCTION, seen)
    options = ("--no-readings", "--links", 5, "--points", 900)
    assert run(recording, "-o", tmp_path / "out", *options) == 0
    ((given, chosen),) = seen
    assert [len(sequence.frames) for sequence in given.sequences] == [3, 3]
    assert (chosen.use_readings, chosen.links, chosen.points) == (False, 5, 900)
    printed = capsys.readouterr().out
    assert "shoulder-pan  revolute" in printed and "link_0 -> link_1" in printed
    assert str(tmp_path / "out" / "robot.urdf") in printed
    assert json.loads((tmp_path / "out" / "reconstruction.json").read_text())["name"] == "still"


@pytest.mark.slow
def test_given_limits_reach_the_urdf_and_the_document(recording, tmp_path, monkeypatch, capsys):
    engine(monkeypatch, RECONSTRUCTION)
    limits = {"lower": -0.01, "upper": 0.2, "velocity": 0.3, "acceleration": 0.6, "effort": 7}
    entries = {"joints": ["slide"], "slide": limits}
    file = tmp_path / "limits.yaml"
    file.write_text(yaml.safe_dump({"capture": {"ros__parameters": entries}}))
    assert run(recording, "-o", tmp_path / "out", "--limits", file) == 0
    (limit,) = ET.parse(tmp_path / "out" / "robot.urdf").findall("joint[@name='slide']/limit")
    assert {key: float(limit.get(key)) for key in ("upper", "velocity", "effort")} == {
        "upper": 0.2,
        "velocity": 0.3,
        "effort": 7.0,
    }
    joints = json.loads((tmp_path / "out" / "reconstruction.json").read_text())["joints"]
    assert [joint["limits"] for joint in joints] == ["observed", "observed", "given", "observed"]
    assert joints[2]["drive"] == {"velocity": 0.3, "effort": 7.0, "acceleration": 0.6}

    seen = []
    engine(monkeypatch, RECONSTRUCTION, seen)
    with pytest.raises(InputError, match=r"limits of 'slide', .*no joint readings to use"):
        run(recording, "-o", tmp_path / "out", "--limits", file, "--no-readings")
    with pytest.raises(InputError, match=r"missing.yaml: does not exist; accepted is"):
        run(recording, "-o", tmp_path / "out", "--limits", tmp_path / "missing.yaml")
    assert seen == []


@pytest.mark.slow
def test_collision_meshes_can_be_decomposed(recording, tmp_path, monkeypatch):
    engine(monkeypatch, RECONSTRUCTION)
    assert run(recording, "-o", tmp_path / "out", "--collision", "coacd") == 0
    document = json.loads((tmp_path / "out" / "reconstruction.json").read_text())
    assert document["assumed"]["collision"] == "coacd"


def test_decomposition_and_primitives_exclude_each_other(recording, tmp_path):
    with pytest.raises(InputError, match="--collision coacd: is for --shapes mesh"):
        run(recording, "-o", tmp_path / "out", "--collision", "coacd", "--shapes", "box")


def test_a_missing_coacd_is_reported_before_the_work(recording, tmp_path, monkeypatch):
    seen = []
    engine(monkeypatch, RECONSTRUCTION, seen)
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(InputError, match=r"install autourdf_ros\[coacd\]"):
        run(recording, "-o", tmp_path / "out", "--collision", "coacd")
    assert seen == []


@pytest.mark.slow
def test_a_failed_model_is_written_but_is_no_success(recording, tmp_path, monkeypatch, capfd):
    engine(monkeypatch, arm_reconstruction(count=60, frames=3, verdict="failed"))
    assert run(recording, "-o", tmp_path / "out", "--name", "mine", "--progress", "json") == 1
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert lines[-1]["result"] == str(tmp_path / "out")
    assert lines[-1]["verdict"] == "failed"
    fractions = [line["fraction"] for line in lines[:-1]]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert "mesh of link_1" in {line.get("stage") for line in lines}
    assert json.loads((tmp_path / "out" / "reconstruction.json").read_text())["name"] == "mine"


def test_what_cannot_be_written_is_refused_before_the_work(recording, tmp_path, monkeypatch):
    seen = []
    engine(monkeypatch, RECONSTRUCTION, seen)
    with pytest.raises(InputError, match="holds something that is no result of autourdf"):
        run(recording, "-o", recording)
    assert seen == []


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is not a recording"),
        (lambda path: path.write_bytes(b"\x89MCAP0\r\n"), "missing"),
    ],
)
def test_unusable_input_is_one_error_and_nothing_is_written(tmp_path, make, text):
    make(tmp_path / "missing")
    with pytest.raises(AutourdfError) as caught:
        run(tmp_path / "missing", "-o", tmp_path / "out")
    assert caught.value.exit_code == 2
    assert text in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_still_recording_is_refused_by_the_real_engine(recording, tmp_path):
    with pytest.raises(InputError, match="nothing moves"):
        run(recording, "-o", tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"still"}


@pytest.mark.slow
def test_what_is_assumed_of_masses_and_shapes_can_be_given(recording, tmp_path, monkeypatch):
    engine(monkeypatch, RECONSTRUCTION)
    options = ("--mass", 12.5, "--shapes", "capsule", "--triangles", 2000)
    assert run(recording, "-o", tmp_path / "out", *options) == 0
    assumed = json.loads((tmp_path / "out" / "reconstruction.json").read_text())["assumed"]
    assert (assumed["total_mass"], assumed["shapes"]) == (12.5, "capsule")
    urdf = ET.parse(tmp_path / "out" / "robot.urdf")
    assert sum(float(mass.get("value")) for mass in urdf.iter("mass")) == pytest.approx(12.5)
    assert urdf.find("link/collision//cylinder") is not None
    assert urdf.find("link/visual//mesh") is not None


def test_shapes_can_be_shown_only_where_there_are_some(recording, tmp_path):
    with pytest.raises(InputError, match="--show-shapes: there are none with --shapes mesh"):
        run(recording, "-o", tmp_path / "out", "--show-shapes")


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--links", "1"),
        ("--points", "x"),
        ("--density", "0"),
        ("--mass", "nan"),
        ("--mass", "heavy"),
        ("--shapes", "cone"),
        ("--triangles", "9"),
    ],
)
def test_bad_numbers_are_refused(flag, value, capsys):
    with pytest.raises(SystemExit) as caught:
        run("in", "-o", "out", f"{flag}={value}")
    assert caught.value.code == 2
    assert flag in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--name", ""], ["--links", "x"], ["--rates", "0", "0"]])
def test_a_refused_value_is_named_with_what_is_accepted(arguments, capsys):
    with pytest.raises(SystemExit):
        run("in", "-o", "out", *arguments)
    printed = capsys.readouterr().err
    assert arguments[0] in printed and "; accepted is a " in printed
    assert "in per step" not in printed


@pytest.mark.slow
def test_the_legal_name_and_the_next_command_are_printed(recording, tmp_path, monkeypatch, capsys):
    engine(monkeypatch, RECONSTRUCTION)
    assert run(recording, "-o", tmp_path / "out", "--name", "a b/c") == 0
    printed = capsys.readouterr().out
    assert "a_b_c: the legal form of 'a b/c'" in printed
    assert f"autourdf view {tmp_path / 'out'}" in printed


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--clusters", "20"], "--clusters: is for --method autourdf"),
        (["--clusters", "20", "--registration", "neural"], "--clusters: is for --method autourdf"),
        (["--rates", "1e-4", "5e-5"], "--rates: is for --method autourdf, and for --registration"),
        (["--device", "cuda"], "--device: is for --method autourdf"),
        (["--seed", "0"], "--seed: is for --method autourdf"),
    ],
)
def test_choices_for_networks_that_are_not_used_are_refused(recording, tmp_path, flags, text):
    with pytest.raises(InputError, match=text):
        run(recording, "-o", tmp_path / "out", *flags)
    assert not (tmp_path / "out").exists()


def test_the_choices_for_the_networks_reach_the_pipeline(recording, tmp_path, monkeypatch):
    seen = []

    def reconstruct(recording, options, progress, prior, begun):
        seen.append(options)
        raise InputError("enough")

    monkeypatch.setattr("autourdf_ros.workflows.reconstruct.reconstruct", reconstruct)
    flags = ["--clusters", "20", "--rates", "1e-4", "5e-5", "--device", "cuda", "--seed", "3"]
    with pytest.raises(InputError, match="enough"):
        run(recording, "-o", tmp_path / "out", "--method", "autourdf", *flags)
    neural = NeuralOptions(clusters=20, rates=PAPER_RATES, device="cuda", seed=3)
    assert (seen[0].method, seen[0].neural) == ("autourdf", neural)


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--links", "4"], "--links: is not for --prior"),
        (["--method", "autourdf"], "--prior: is for --method engine"),
        ([], "nowhere: does not exist"),
    ],
)
def test_a_prior_that_cannot_be_used_is_refused_at_once(recording, tmp_path, flags, text):
    with pytest.raises(InputError, match=text):
        run(recording, "-o", tmp_path / "out", "--prior", tmp_path / "nowhere", *flags)
    assert not (tmp_path / "out").exists()


def test_density_and_mass_exclude_each_other(capsys):
    with pytest.raises(SystemExit):
        run("in", "-o", "out", "--density=800", "--mass=3")
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.slow
def test_interrupted_while_writing_it_leaves_nothing(recording, tmp_path):
    out = tmp_path / "results" / "out"
    program = (
        "import sys, pickle; from autourdf_ros.workflows import reconstruct as workflow;"
        "found = pickle.load(open(sys.argv.pop(1), 'rb'));"
        "workflow.reconstruct = lambda *_: found;"
        "from autourdf_ros.cli.main import main; sys.exit(main())"
    )

    (tmp_path / "found").write_bytes(pickle.dumps(RECONSTRUCTION))
    arguments = [tmp_path / "found", "reconstruct", recording, "-o", out, "--progress", "json"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while b"mesh of link_1" not in process.stdout.readline():
            assert process.poll() is None
        assert list(out.parent.glob(".out.*.partial"))
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=40)
    assert process.returncode == 130
    assert errors.strip() == b"autourdf reconstruct: cancelled"
    assert list(out.parent.iterdir()) == []


def test_nobody_reading_the_progress_cancels(monkeypatch):
    monkeypatch.setattr("autourdf_ros.cli.terminal.progress_lines.ignore_termination", lambda: None)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        lines = ProgressLines(stream)
        with pytest.raises(CancelledError):
            lines("loading", 0.0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)


def test_summary_names_units_and_warnings(tmp_path):
    text = summary(RECONSTRUCTION, {"verdict": "trusted", "checks": []}, tmp_path)
    assert text.splitlines()[3].split()[:5] == ["slide", "prismatic", "link_2", "->", "link_3"]
    assert "base_link" in text and "s of computing" in text
    assert " mm" in text.splitlines()[3] and "4 of 6 frames used" in text
    assert "  ! Joint 'spin' moved a link that is seen in 3 points only" in text


@pytest.mark.slow
def test_a_model_that_ran_through_itself_is_reported_as_doubtful(
    recording, tmp_path, monkeypatch, capfd
):
    engine(monkeypatch, folded(arm_reconstruction(count=60, frames=3)))
    assert run(recording, "-o", tmp_path / "out") == 0
    lines = capfd.readouterr().out.splitlines()
    (reason,) = [line for line in lines if "links 'link_0' and 'link_2' overlap by up to" in line]
    assert reason.startswith("  ! no self-collision: ")
    assert lines.index("verdict: doubtful") < lines.index(reason)
    assert run(recording, "-o", tmp_path / "out", "--progress", "json") == 0
    last = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (last["result"], last["verdict"]) == (str(tmp_path / "out"), "doubtful")
    assert any("overlap by up to" in warning for warning in last["warnings"])


def test_usd_is_refused_before_the_work_where_there_is_no_converter(
    recording, tmp_path, monkeypatch
):
    seen = []
    engine(monkeypatch, RECONSTRUCTION, seen)
    monkeypatch.setattr("autourdf_ros.export.formats.usd.find_spec", lambda name: None)
    with pytest.raises(InputError, match="--usd"):
        run(recording, "-o", tmp_path / "out", "--usd")
    assert not seen and not (tmp_path / "out").exists()
