"""The command: what it prints and writes."""

import numpy as np
import pytest
import yaml
from moving_scene import camera_poses, disturbed, recording

from autourdf_ros.cli import main as cli
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.writer import RecordingWriter

TRUE = camera_poses(2, 0.8)
GIVEN = disturbed(TRUE, np.radians(1.0), 0.01)


def write(folder, content):
    with RecordingWriter(folder) as writer:
        for part in content.sequences:
            writer.start_sequence(part.name)
            for frame in part.frames:
                writer.write_frame(frame)
    return folder


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return write(tmp_path_factory.mktemp("cell") / "recording", recording(TRUE, GIVEN, 6))


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_corrected_recording_and_its_transforms_are_written(recorded, tmp_path, capsys):
    before, out = contents(recorded), tmp_path / "out"
    assert cli.main(["extrinsics", str(recorded), "-o", str(out), "--frames", "left", "right"]) == 0
    printed = capsys.readouterr().out
    assert "verdict: trusted" in printed
    assert "static_transform_publisher" in printed and "--child-frame-id right" in printed
    assert contents(recorded) == before
    old, new = load_recording(recorded), load_recording(out)
    assert [part.name for part in new.sequences] == [part.name for part in old.sequences]
    for one, other in zip(old.frames, new.frames, strict=True):
        first = one.cameras == 0
        np.testing.assert_allclose(other.points[first], one.points[first], atol=1e-6)
        assert np.abs(other.points[~first] - one.points[~first]).max() > 0.002
        np.testing.assert_array_equal(other.cameras, one.cameras)
        assert (other.stamp, other.joint_positions) == (one.stamp, one.joint_positions)
    found = yaml.safe_load((out / "extrinsics.yaml").read_text())
    assert [camera["child_frame_id"] for camera in found["cameras"]] == ["left", "right"]
    place = new.frames[0].camera_poses[1, :3, 3]
    np.testing.assert_allclose(found["cameras"][1]["translation"], place, atol=1e-5)


@pytest.mark.slow
def test_a_corrected_recording_needs_no_more_correction(recorded, tmp_path):
    out = tmp_path / "out"
    assert cli.main(["extrinsics", str(recorded), "-o", str(out)]) == 0
    assert cli.main(["extrinsics", str(out), "-o", str(tmp_path / "again")]) == 0
    poses = [load_recording(path).frames[0].camera_poses for path in (out, tmp_path / "again")]
    np.testing.assert_allclose(*poses, atol=2e-4)


def test_nothing_is_written_over(recorded, tmp_path, capsys):
    (tmp_path / "kept").write_text("mine")
    assert cli.main(["extrinsics", str(recorded), "-o", str(tmp_path)]) == 2
    assert "is not an empty folder" in capsys.readouterr().err
    assert (tmp_path / "kept").read_text() == "mine"


def test_names_of_frames_must_be_as_many_as_cameras(recorded, tmp_path, capsys, monkeypatch):
    name = "autourdf_ros.estimation.extrinsics.estimate.estimate_extrinsics"
    monkeypatch.setattr(name, lambda *_, **__: pytest.fail("is checked before the long work"))
    assert (
        cli.main(["extrinsics", str(recorded), "-o", str(tmp_path / "out"), "--frames", "a"]) == 2
    )
    assert "1 name(s); accepted is one for each of 2 cameras" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_one_camera_is_refused_with_one_line(tmp_path, capsys):
    alone = write(tmp_path / "alone", recording(TRUE[:1], frames=5))
    assert cli.main(["extrinsics", str(alone)]) == 2
    error = capsys.readouterr().err
    assert "has 1 camera(s) in a frame; accepted are two or more" in error
    assert error.count("\n") == 1
