import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from assessment.metrics.truth.test_truth import URDF
from result_documents import write_document
from shape.collision.test_collision_pairs import written
from skeletons import recorded, write_plates

from autourdf_ros.cli.main import main
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


@pytest.fixture
def result(tmp_path):
    """A result folder whose robot is the truth, but for one axis 1 cm off."""
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "truth.urdf").write_text(URDF)
    (folder / "robot.urdf").write_text(URDF.replace('xyz="0.1 0 0"', 'xyz="0.1 0 0.01"'))
    write_document(
        folder,
        reference_configuration={"turn": 0.5, "finger": 0.2},
        reference_readings={"turn": 0.5, "finger": 0.2, "slide": 0.0},
    )
    return folder


def test_the_truth_is_posed_at_the_readings(result, capsys):
    assert main(["evaluate", str(result), "--truth", str(result.parent / "truth.urdf")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["all"]["right_tree"] is True
    assert printed["all"]["angle"] == pytest.approx(0, abs=1e-9)
    errors = {joint["name"]: joint["perpendicular"] for joint in printed["joints"]}
    assert errors["finger"] == pytest.approx(10, abs=1e-6)
    assert errors["slide"] is None


def test_the_configuration_can_be_given(result, capsys):
    truth = str(result.parent / "truth.urdf")
    assert main(["evaluate", str(result), "--truth", truth, "--configuration", "turn:0.6"]) == 0
    errors = {j["name"]: j["angle"] for j in json.loads(capsys.readouterr().out)["joints"]}
    assert errors["turn"] == pytest.approx(0, abs=1e-9)
    assert errors["finger"] == pytest.approx(5.7296, abs=1e-3)


@pytest.mark.parametrize("text", ["turn", "turn:", ":1", "turn:x", ""])
def test_a_malformed_configuration_is_refused(text, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", "out", "--truth", "truth.urdf", "--configuration", text])
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert f"--configuration: is {text!r}; accepted is NAME:VALUE" in printed
    assert "Traceback" not in printed


def test_no_result_folder_is_exit_code_2(tmp_path, result, capsys):
    truth = str(result.parent / "truth.urdf")
    shutil.rmtree(result)
    assert main(["evaluate", str(result), "--truth", truth]) == 2
    assert "is no result folder" in capsys.readouterr().err


def test_self_collisions_are_compared_on_request(tmp_path, capsys):
    urdf = written(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    shutil.copy(urdf, out / "robot.urdf")
    write_document(out)
    assert main(["evaluate", str(out), "--truth", str(urdf), "--collisions"]) == 0
    printed = json.loads(capsys.readouterr().out)["self_collisions"]
    assert printed["collision"]["recall"] == 1 and printed["collision"]["false"] == 0
    assert set(printed) == {"collision", "visual"}


def test_a_recording_shows_which_joints_are_observable(tmp_path, capsys):
    urdf = write_plates(tmp_path)
    robot = SimulatedRobot(urdf)
    values = np.outer(np.linspace(0, 0.5, 4), np.ones(len(robot.names)))
    with RecordingWriter(tmp_path / "recording") as writer:
        writer.start_sequence("0000")
        for number, frame in enumerate(recorded(robot, values).frames):
            writer.write_frame(replace(frame, stamp=float(number + 1)))
    out = tmp_path / "out"
    out.mkdir()
    (out / "robot.urdf").write_text(urdf.read_text().replace('"revolute"', '"fixed"', 1))
    write_document(out)
    arguments = ["evaluate", str(out), "--truth", str(urdf)]
    assert main([*arguments, "--recording", str(tmp_path / "recording")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["missed"] == ["spin"]  # a round bar, whose spin nobody can see
    assert not printed["all"]["right_tree"]
    assert printed["observable"]["right_tree"]
    assert printed["observable"]["true"] == 2
