import re
from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.data.bags import topics
from autourdf_ros.data.cleaning import Box, CleaningOptions
from autourdf_ros.data.frame import Frame
from autourdf_ros.data.load import load_recording
from autourdf_ros.data.recording.frame_checks import FrameChecks
from autourdf_ros.data.recording.frame_recorder import FrameOptions, FrameRecorder, SerializedView
from autourdf_ros.data.recording.recorder_process import RecorderProcess
from autourdf_ros.data.recording.resuming import Setup
from autourdf_ros.data.unit_check import UnitError
from autourdf_ros.errors import AutourdfError, InputError

OPTIONS = FrameOptions(CleaningOptions(Box((-1, -1, -1), (1, 1, 1))))
CAMERAS = ("/left", "/right")
SETUP = Setup("world", CAMERAS, ("pan",))


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
    return SerializedView(CAMERAS, tuple(clouds), (np.eye(4), shifted), (stamp, stamp - 0.25))


def cloud(points) -> bytes:
    return topics.cloud_message(Frame(np.asarray(points, np.float32)), 0, "camera")


@pytest.mark.slow
def test_views_become_frames(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)
    recorder.start_sequence("first")
    recorder.send_view(view(12.5), {"pan": 0.25})
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


@pytest.mark.slow
def test_errors_of_the_other_process_are_raised_here(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)
    broken = replace(view(1.0), clouds=(view(1.0).clouds[0], cloud(np.full((500, 3), 800.0))))
    with pytest.raises(UnitError, match=r"/right: the points are 1\.39e\+03 m from.*scale 0\.001"):
        recorder.send_view(broken, {})
    assert recorder.send_view(view(2.0), {}).rejection is None
    recorder.close()
    with pytest.raises(InputError, match="not empty"):
        RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)


@pytest.mark.slow
def test_a_view_of_too_few_points_is_rejected(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)
    rejection = recorder.send_view(view(1.0, where=(5.0, 0.0, 0.0)), {}).rejection
    assert rejection.reason == "points"
    assert re.search(
        r"0 of 4000 points \(2000 of /left, 2000 of /right\) are left.*at least 100: .*box_lower",
        rejection.text,
    )
    recorder.send_view(view(2.0), {})
    recorder.close()
    assert len(load_recording(tmp_path / "rec").frames) == 1


def test_points_that_were_not_measured_are_dropped_and_counted(tmp_path):
    ball = np.random.default_rng(0).normal(size=(800, 3)) * 0.05 + (0, 0, 0.5)
    dirty = np.vstack([ball, np.zeros((30, 3)), np.full((7, 3), np.nan), [[0, np.inf, 1]]])
    nothing = np.full((500, 3), np.nan)
    recorder = FrameRecorder(tmp_path / "rec", SETUP, OPTIONS)
    outcome = recorder.record_view(replace(view(1.0), clouds=(cloud(dirty), cloud(ball))), {})
    assert (outcome.rejection, outcome.unmeasured) == (None, (38, 0))
    outcome = recorder.record_view(replace(view(2.0), clouds=(cloud(nothing), cloud(nothing))), {})
    assert outcome.unmeasured == (500, 500)
    assert outcome.rejection.text.startswith("no point of /left, /right has depth; accepted is at ")
    recorder.close()
    recording = load_recording(tmp_path / "rec")
    assert recording.cameras == CAMERAS
    (frame,) = recording.frames
    # The camera itself is no point of the robot.
    assert np.linalg.norm(frame.points, axis=1).min() > 0.2


def test_a_camera_that_sees_far_less_than_before_is_named(tmp_path):
    options = replace(OPTIONS, checks=FrameChecks(min_coverage=0.4))
    recorder = FrameRecorder(tmp_path / "rec", SETUP, options)
    whole = view(1.0)
    half = np.random.default_rng(0).normal(size=(2000, 3))
    half = 0.2 * half / np.linalg.norm(half, axis=1, keepdims=True) - (0.1, 0.2, -0.2)
    half = half[half[:, 2] > 0.33]
    hidden = replace(whole, clouds=(whole.clouds[0], cloud(half)))
    # Nothing is known before the first frame.
    assert (
        FrameRecorder(tmp_path / "other", SETUP, options).record_view(hidden, {}).rejection is None
    )
    assert recorder.record_view(whole, {}).rejection is None
    rejection = recorder.record_view(hidden, {}).rejection
    assert rejection.reason == "coverage"
    assert re.fullmatch(
        r"/right sees \d{3} cm² of surface, 1\d% of the 1\d{3} cm² of the earlier frames; accepted "
        r"is 40% \(min_coverage\).*",
        rejection.text,
    )
    # What was rejected is not what the next one is compared with.
    assert recorder.record_view(hidden, {}).rejection is not None
    assert recorder.record_view(whole, {}).rejection is None


def test_clouds_of_different_moments_are_rejected(tmp_path):
    recorder = FrameRecorder(
        tmp_path / "rec", SETUP, replace(OPTIONS, checks=FrameChecks(sync_slop=0.2))
    )
    rejection = recorder.record_view(view(1.0), {}).rejection
    assert (rejection.reason, rejection.text) == (
        "sync_slop",
        "the cloud of /right is 0.250 s older than that of /left; accepted is 0.2 s (sync_slop)",
    )


def test_millimetres_are_scaled_by_cloud_scale(tmp_path):
    millimetres = replace(
        view(1.0), clouds=(view(1.0).clouds[0], cloud(_points(view(1.0), 1) * 1e3))
    )
    options = replace(OPTIONS, cloud_scale=(1.0, 0.001))
    recorder = FrameRecorder(tmp_path / "rec", SETUP, options)
    assert recorder.record_view(millimetres, {}).rejection is None
    with pytest.raises(UnitError, match=r"/right: the points are 0\.000.* cloud_scale"):
        recorder.record_view(view(1.0), {})
    recorder.close()
    (frame,) = load_recording(tmp_path / "rec").frames
    np.testing.assert_allclose(np.linalg.norm(frame.points - (0, 0, 0.5), axis=1), 0.2, atol=1e-4)


def _points(seen: SerializedView, number: int) -> np.ndarray:
    return topics.read_cloud_message(seen.clouds[number]).points


@pytest.mark.slow
def test_a_dead_process_is_noticed_and_what_it_wrote_is_kept(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)
    recorder.send_view(view(1.0), {})
    recorder._process.kill()
    with pytest.raises(AutourdfError, match="recording process is gone"):
        recorder.send_view(view(2.0), {})
    assert len(load_recording(tmp_path / "rec").frames) == 1


@pytest.mark.slow
def test_the_recording_is_ended_when_its_owner_dies(tmp_path, caplog):
    recorder = RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)
    recorder.send_view(view(1.0), {})
    recorder._connection.close()
    assert recorder._process.wait(60) == 0
    assert len(load_recording(tmp_path / "rec").frames) == 1
    assert not caplog.records


@pytest.mark.slow
def test_a_ball_that_moves_into_a_face_of_the_box_is_cut_off(tmp_path):
    recorder = RecorderProcess(tmp_path / "rec", SETUP, OPTIONS)
    recorder.start_sequence("first")
    standing = (0.0, -0.9, 0.0)  # at a face from the beginning
    cuts = [
        recorder.send_view(view(stamp, where), {}).cut
        for stamp, where in enumerate((standing, standing, (0.95, 0.0, 0.5), (0.0, 0.0, 0.5)), 1)
    ]
    recorder.close()
    assert cuts[:2] == ["", ""] and cuts[3] == ""
    assert cuts[2] == "the robot is cut off where the box ends, at x = 1.000 m (box_upper)"


def test_without_a_box_nothing_is_cut_off(tmp_path):
    recorder = FrameRecorder(tmp_path / "rec", SETUP, FrameOptions(CleaningOptions()))
    recorder.start_sequence("first")
    assert [recorder.record_view(view(stamp, (stamp, 0, 0)), {}).cut for stamp in (1, 2)] == [
        "",
        "",
    ]
    recorder.close()
