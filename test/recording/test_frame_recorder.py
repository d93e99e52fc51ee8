import numpy as np
import pytest

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.recording import topics
from autourdf_ros.recording.cleaning import Box, CleaningOptions
from autourdf_ros.recording.frame import Frame
from autourdf_ros.recording.frame_recorder import SerializedView
from autourdf_ros.recording.load import load_recording
from autourdf_ros.recording.recorder_process import RecorderProcess

OPTIONS = CleaningOptions(Box((-1, -1, -1), (1, 1, 1)))


def view(stamp: float, where=(0.0, 0.0, 0.5)) -> SerializedView:
    """A ball of 2000 points, seen by one camera whole and by another shifted by its transform."""
    direction = np.random.default_rng(0).normal(size=(2000, 3))
    ball = 0.2 * direction / np.linalg.norm(direction, axis=1, keepdims=True) + where
    shifted = np.eye(4)
    shifted[:3, 3] = 0.1, 0.2, 0.3
    colors = np.full((2000, 3), 9, np.uint8)
    clouds = [
        topics.cloud_message(Frame(points.astype(np.float32), colors), int(stamp * 1e9), "camera")
        for points in (ball, ball - shifted[:3, 3])
    ]
    return SerializedView(tuple(clouds), (np.eye(4), shifted), stamp)


def test_views_become_frames(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", "world", OPTIONS)
    recorder.start_sequence("first")
    recorder.append(view(12.5), {"pan": 0.25})
    recorder.event("noticed", {"what": 1})
    assert len(load_recording(tmp_path / "rec").frames) == 1
    recorder.close()
    recording = load_recording(tmp_path / "rec")
    (frame,) = recording.frames
    assert (recording.fixed_frame, recording.sequences[0].name) == ("world", "first")
    assert (frame.stamp, frame.joint_positions) == (12.5, {"pan": 0.25})
    np.testing.assert_allclose(np.linalg.norm(frame.points - (0, 0, 0.5), axis=1), 0.2, atol=1e-4)
    assert np.bincount(frame.cameras).tolist() == [2000, 2000]
    assert (frame.colors == 9).all()


def test_errors_of_the_other_process_are_raised_here(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", "world", OPTIONS)
    with pytest.raises(InputError, match=r"0 of 4000 points are left.*look at box_lower"):
        recorder.append(view(1.0, where=(5.0, 0.0, 0.0)), {})
    recorder.append(view(2.0), {})
    recorder.close()
    with pytest.raises(InputError, match="not empty"):
        RecorderProcess(tmp_path / "rec", "world", OPTIONS)


def test_a_dead_process_is_noticed_and_what_it_wrote_is_kept(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", "world", OPTIONS)
    recorder.append(view(1.0), {})
    recorder._process.kill()
    with pytest.raises(AutourdfError, match="recording process is gone"):
        recorder.append(view(2.0), {})
    assert len(load_recording(tmp_path / "rec").frames) == 1


def test_the_recording_is_ended_when_its_owner_dies(tmp_path, caplog):
    recorder = RecorderProcess(tmp_path / "rec", "world", OPTIONS)
    recorder.append(view(1.0), {})
    recorder._connection.close()
    assert recorder._process.wait(60) == 0
    assert len(load_recording(tmp_path / "rec").frames) == 1
    assert not caplog.records
