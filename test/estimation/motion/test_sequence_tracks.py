"""Tracks are the same whether frames come at once, one by one, or fewer of them are asked for."""

import numpy as np
import pytest
from synthetic_robot import moving_recording

from autourdf_ros.estimation.motion import sequence_tracks
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.sequence_tracks import SequenceTracks

FRAMES = 4


@pytest.fixture(scope="module")
def clouds():
    recording = moving_recording(FRAMES + 1, 250, sway=0.08)
    return prepare(recording, 5000, report=lambda _: None).clouds


def tracks_of(clouds):
    return SequenceTracks(clouds[0], ReconstructionOptions())


def tracked(tracks, frames, sequence=0):
    return tracks.track(sequence, frames, lambda _: None)


def check_alike(one, other):
    np.testing.assert_array_equal(one.poses, other.poses)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_frames_may_come_one_by_one(clouds):
    frames, tracks = clouds[1:], tracks_of(clouds)
    whole = tracked(tracks_of(clouds), frames)
    for count in range(1, FRAMES + 1):
        assert tracks.count(0) == count - 1
        check_alike(tracked(tracks, frames[:count]), whole.first(count))


def test_no_frame_is_tracked_twice(clouds, monkeypatch):
    frames, tracks = clouds[1:], tracks_of(clouds)
    whole = tracked(tracks, frames)
    monkeypatch.setattr(sequence_tracks, "track_sequence", None)
    check_alike(tracked(tracks, frames), whole)
    check_alike(tracked(tracks, frames[:2]), whole.first(2))


def test_other_frames_are_tracked_anew(clouds):
    frames, tracks = clouds[1:], tracks_of(clouds)
    tracked(tracks, frames)
    turned = frames[::-1]
    check_alike(tracked(tracks, turned), tracked(tracks_of(clouds), turned))


def test_sequences_are_tracked_apart(clouds):
    frames, tracks = clouds[1:], tracks_of(clouds)
    tracked(tracks, frames)
    assert tracks.count(1) == 0
    check_alike(tracked(tracks, frames[2:], sequence=1), tracked(tracks_of(clouds), frames[2:]))
