"""What is done while a recording is being made changes nothing of its result, and saves time."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import moving_recording

from autourdf_ros.data.frame import Recording, Sequence
from autourdf_ros.estimation.motion import sequence_tracks
from autourdf_ros.estimation.motion.head_start import HeadStart
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration import preparation
from autourdf_ros.estimation.motion.registration.preparation import ALIGNED_FRAMES

FIRST, SECOND = ALIGNED_FRAMES, 3
OPTIONS = ReconstructionOptions()


@pytest.fixture(scope="module")
def recording():
    """Two sequences of the small arm, which both begin where it stands first."""
    one, other = moving_recording(FIRST, 250, sway=0.08), moving_recording(SECOND, 250, sway=-0.08)
    return Recording((*one.sequences, replace(other.sequences[0], name="0001")))


def first(recording, count):
    """The recording when it had so many frames."""
    sequences, left = [], count
    for sequence in recording.sequences:
        if left > 0:
            sequences.append(replace(sequence, frames=sequence.frames[:left]))
        left -= len(sequence.frames)
    return replace(recording, sequences=tuple(sequences))


def advanced(begun, recording):
    """How many steps were done with the frames that are new."""
    return sum(1 for _ in begun.advance(recording))


@pytest.fixture(scope="module")
def begun(recording):
    head_start = HeadStart(OPTIONS)
    for count in range(1, len(recording.frames) + 1):
        advanced(head_start, first(recording, count))
    return head_start


def test_it_begins_with_the_frames_that_align_the_cameras(recording):
    begun = HeadStart(OPTIONS)
    assert [advanced(begun, first(recording, n)) for n in range(1, FIRST)] == [0] * (FIRST - 1)
    # All are prepared, and tracked one by one but for the reference; then each as it comes.
    assert advanced(begun, first(recording, FIRST)) == 1 + FIRST - 1
    assert advanced(begun, first(recording, FIRST)) == 0
    assert advanced(begun, first(recording, FIRST + 2)) >= 2


def test_a_first_sequence_that_goes_on_is_prepared_anew_now_and_then():
    long = moving_recording(3 * FIRST, 250, sway=0.02)
    begun = HeadStart(OPTIONS)
    again = [n for n in range(FIRST, 3 * FIRST) if advanced(begun, first(long, n))]
    assert again == [FIRST, 15, 23]


@pytest.mark.slow
def test_the_result_is_that_of_the_recording_alone(recording, begun, monkeypatch):
    whole = reconstruct(recording, OPTIONS)
    prepared, tracked = [], []
    original, track = preparation._prepare_frame, sequence_tracks.track_sequence
    monkeypatch.setattr(
        preparation, "_prepare_frame", lambda *a: prepared.append(1) or original(*a)
    )
    monkeypatch.setattr(
        sequence_tracks, "track_sequence", lambda *a: tracked.append(1) or track(*a)
    )
    result = reconstruct(recording, OPTIONS, begun=begun)
    assert not prepared and not tracked
    for one, other in zip(result.model.joints, whole.model.joints, strict=True):
        assert (one.name, one.parent, one.type) == (other.name, other.parent, other.type)
        np.testing.assert_array_equal(one.axis, other.axis)
        np.testing.assert_array_equal(one.estimate.covariance, other.estimate.covariance)
    np.testing.assert_array_equal(result.labels, whole.labels)
    assert (result.verdict, result.warnings) == (whole.verdict, whole.warnings)


def moved(recording):
    frames = [replace(f, points=f.points + np.float32(0.01)) for f in recording.frames]
    return Recording((Sequence(tuple(frames)),))


@pytest.mark.parametrize(
    ("other", "options"),
    [
        (lambda recording: recording, replace(OPTIONS, points=400)),
        (lambda recording: recording, replace(OPTIONS, use_readings=False)),
        (lambda recording: first(recording, FIRST), OPTIONS),
        (moved, OPTIONS),
    ],
)
def test_it_is_of_no_use_to_another_recording_or_other_options(recording, begun, other, options):
    assert begun.prepared_of(recording, OPTIONS) is not None
    assert begun.prepared_of(other(recording), options) is None


def test_a_recording_that_does_not_go_on_is_begun_anew(recording):
    begun, other = HeadStart(OPTIONS), moved(first(recording, FIRST))
    advanced(begun, recording)
    advanced(begun, other)
    assert begun.prepared_of(recording, OPTIONS) is None
    prepared = begun.prepared_of(other, OPTIONS)
    assert [len(sequence) for sequence in prepared.sequences] == [FIRST]
    assert begun.tracks_of(prepared).count(0) == FIRST - 1
    assert begun.tracks_of(replace(prepared, sequences=(prepared.sequences[0][1:],))) is None
