"""Frames that come one by one, to the engine that is tested on its own."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import moving_recording

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.errors import CancelledError, InputError, ReconstructionError
from autourdf_ros.estimation.motion import streaming
from autourdf_ros.estimation.motion.pipeline import (
    prepare_recording,
    reconstruct,
    reconstruct_prepared,
)
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration import preparation
from autourdf_ros.estimation.motion.streaming import FIRST_FRAMES, OUTLIERS, StreamingReconstruction
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch


@pytest.fixture(scope="module")
def recording():
    """Two sequences of the small arm, which both begin where it stands first."""
    one, other = moving_recording(7, 250, sway=0.08), moving_recording(3, 250, sway=-0.08)
    return Recording((*one.sequences, replace(other.sequences[0], name="0001")))


@pytest.fixture(scope="module")
def stream():
    return StreamingReconstruction()


@pytest.fixture(scope="module")
def prepared_frames():
    """How often every frame was prepared, by its stamp and points."""
    return Counter()


@pytest.fixture(scope="module")
def estimates(recording, stream, prepared_frames):
    original = preparation._prepare_frame

    def counted(frame, points, units):
        prepared_frames[id(frame)] += 1
        return original(frame, points, units)

    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preparation, "_prepare_frame", counted)
        for sequence in recording.sequences:
            stream.begin_sequence(sequence.name)
            found += [stream.update(frame) for frame in sequence.frames]
    return found


def test_a_model_comes_with_the_first_frames_and_gets_surer(estimates, recording):
    for early in estimates[: FIRST_FRAMES - 1]:
        assert early.reconstruction is None and early.fit is None and np.isnan(early.axis_std)
        assert f"{early.frames} of the {FIRST_FRAMES}" in early.reason
    first, last = estimates[FIRST_FRAMES - 1], estimates[-1]
    assert [estimate.frames for estimate in estimates] == list(range(1, 11))
    assert len(first.reconstruction.model.joints) == 2 and first.reason == ""
    assert last.axis_std < first.axis_std and last.line_std < first.line_std
    # The model is found at 6 frames, and anew at 8.
    assert [estimate.stale for estimate in estimates[FIRST_FRAMES - 1 :]] == [0, 1, 0, 1, 2]


def test_frames_between_are_followed_into_the_next_sequence(estimates):
    fits = [estimate.fit for estimate in estimates[FIRST_FRAMES - 1 :]]
    assert all(fit.inlier for fit in fits)
    assert fits.pop(7 - FIRST_FRAMES + 1).score == 0  # the reference once more
    assert all(0.8 < fit.score < 1.2 for fit in fits)


def test_every_frame_is_prepared_once(estimates, recording, prepared_frames):
    assert [prepared_frames[id(frame)] for frame in recording.frames] == [1] * 10


@pytest.mark.slow
def test_the_result_is_that_of_the_whole_recording(estimates, stream, recording):
    live, whole = stream.result(), reconstruct(recording)
    for one, other in zip(live.model.joints, whole.model.joints, strict=True):
        assert (one.name, one.parent, one.type) == (
            other.name,
            other.parent,
            other.type,
        )
        np.testing.assert_array_equal(one.axis, other.axis)
        np.testing.assert_array_equal(one.point, other.point)
        np.testing.assert_array_equal(one.estimate.covariance, other.estimate.covariance)
    for one, other in zip(live.motions, whole.motions, strict=True):
        np.testing.assert_array_equal(one.joint_values, other.joint_values)
    np.testing.assert_array_equal(live.labels, whole.labels)
    assert (live.verdict, live.warnings) == (whole.verdict, whole.warnings)
    assert stream.result() is live
    assert [s.name for s in stream.recording.sequences] == ["0000", "0001"]


@pytest.mark.slow
def test_a_doubtful_structure_is_searched_again_for_the_result_only(monkeypatch):
    recording = moving_recording(FIRST_FRAMES, 250, sway=0.08)
    options, watch = ReconstructionOptions(), Stopwatch()
    prepared = prepare_recording(recording, options, watch, silent)
    found = reconstruct_prepared(recording, prepared, options, watch, silent)
    found = replace(found, reconstruction=replace(found.reconstruction, structure_doubted=True))
    calls = []

    def reconstructed(*_, tracks, again):
        calls.append(again)
        return found

    monkeypatch.setattr(streaming, "reconstruct_prepared", reconstructed)
    stream = StreamingReconstruction()
    stream.begin_sequence("0000")
    for frame in recording.frames:
        stream.update(frame)
    assert calls == [False]
    assert stream.result() is found.reconstruction and stream.result() is found.reconstruction
    assert calls == [False, True]


@pytest.mark.slow
def test_cancelled_searches_are_made_up_for_and_frames_that_do_not_fit_begin_one(monkeypatch):
    def cancel(stage, fraction):
        raise CancelledError("enough")

    frames = moving_recording(8, 200, sway=0.08).frames
    stream = StreamingReconstruction()
    stream.begin_sequence("0000")
    for frame in frames[: FIRST_FRAMES - 1]:
        stream.update(frame)
    with pytest.raises(CancelledError):
        stream.update(frames[FIRST_FRAMES - 1], cancel)
    found = stream.update(frames[FIRST_FRAMES])
    assert found.frames == FIRST_FRAMES + 1 and found.stale == 0
    assert found.reconstruction is not None

    # The arm as no joint can bend it: found anew before there are so many more frames.
    monkeypatch.setattr(streaming, "FRAME_RATIO", 100.0)
    searches = []

    def fail(*_, tracks, again):
        searches.append(1)
        raise ReconstructionError("no frame fits")

    monkeypatch.setattr(streaming, "reconstruct_prepared", fail)
    for number in range(OUTLIERS):
        assert not searches
        swapped = frames[number].points[:, [1, 2, 0]]
        wrong = stream.update(replace(frames[number], points=swapped))
        assert not wrong.fit.inlier and wrong.fit.score > 1.5
    assert searches == [1]
    assert wrong.reconstruction is found.reconstruction and wrong.stale == OUTLIERS
    assert wrong.reason == "no frame fits"
    stream.update(frames[0])
    assert searches == [1]
    with pytest.raises(ReconstructionError):
        stream.result()


def test_a_robot_that_does_not_move_is_reported_and_gives_no_model():
    frame = moving_recording(1, 200).frames[0]
    stream = StreamingReconstruction()
    stream.begin_sequence("0000")
    for _ in range(FIRST_FRAMES):
        estimate = stream.update(frame)
    assert estimate.reconstruction is None and "moves" in estimate.reason
    with pytest.raises(InputError, match="moves"):
        stream.result()


def test_a_frame_that_cannot_be_used_is_left_out():
    frame = moving_recording(1, 200).frames[0]
    stream = StreamingReconstruction()
    with pytest.raises(InputError, match="begin_sequence"):
        stream.update(frame)
    stream.begin_sequence("0000")
    assert stream.update(frame).frames == 1
    with pytest.raises(InputError, match="sequence '0000' frame 1: has 5 points"):
        stream.update(replace(frame, points=frame.points[:5]))
    stream.begin_sequence("0001")
    stream.begin_sequence("0002")
    assert stream.update(frame).frames == 2
    assert [s.name for s in stream.recording.sequences] == ["0000", "0002"]


def test_nothing_gives_no_result():
    with pytest.raises(InputError, match="has 0 frame"):
        StreamingReconstruction().result()
    assert Sequence(()) not in StreamingReconstruction().recording.sequences
