"""The frames of a result, with and without the recording that it comes from."""

import json
import shutil

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.viewer.recorded_frames import find_recording, moments

pytestmark = pytest.mark.slow


@pytest.fixture
def document(sample):
    return json.loads((sample.folder / "reconstruction.json").read_text())


def test_the_recording_is_where_the_document_says(document):
    recording, problem = find_recording(document, None)
    assert problem is None
    assert [len(sequence.frames) for sequence in recording.sequences] == [5, 5]


def test_every_frame_has_its_pose_and_its_points(document):
    recording, _ = find_recording(document, None)
    found = moments(document, recording)
    assert [(m.sequence, m.number, m.count) for m in found[3:7]] == [
        ("0000", 4, 5),
        ("0000", 5, 5),
        ("0001", 1, 5),
        ("0001", 2, 5),
    ]
    assert list(found[6].values.values()) == document["sequences"][1]["joint_values"][1]
    assert list(found[6].values) == [joint["name"] for joint in document["joints"]]
    assert np.array_equal(found[6].base, np.eye(4))
    assert np.array_equal(found[6].seen.points, recording.frames[6].points)
    assert found[3].held_out and found[3].used and 0.0006 < found[3].residual < 0.0009
    assert not found[4].used and found[4].residual is None


def test_values_that_are_not_known_are_left_out(document):
    document["sequences"][0]["joint_values"][2][1] = None
    (name,) = {joint["name"] for joint in document["joints"]} - set(
        moments(document, None)[2].values
    )
    assert name == document["joints"][1]["name"]


def test_without_the_recording_the_poses_are_left(document, tmp_path):
    document["input"]["source"] = str(tmp_path / "gone")
    recording, problem = find_recording(document, None)
    assert recording is None
    assert str(tmp_path / "gone") in problem and "--recording" in problem
    assert len(moments(document, None)) == 10
    document["input"]["source"] = None
    assert "in memory" in find_recording(document, None)[1]


def test_one_that_is_named_must_be_there(document, tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        find_recording(document, tmp_path / "gone")


def test_a_recording_that_moved_is_found(document, sample, tmp_path):
    moved = shutil.copytree(sample.recording, tmp_path / "moved")
    document["input"]["source"] = str(tmp_path / "gone")
    recording, problem = find_recording(document, moved)
    assert recording is not None and problem is None


def test_another_recording_is_reported(document):
    document["input"]["sha256"] = "0" * 64
    recording, problem = find_recording(document, None)
    assert recording is not None and "SHA-256 differs" in problem
    document["sequences"][1]["joint_values"].pop()
    recording, problem = find_recording(document, None)
    assert recording is None and "[5, 5] frames" in problem and "[5, 4]" in problem
