"""Which frames are tracked before anything is known; the tracking itself is tested on its own."""

import numpy as np
import pytest
from sampled_shapes import box, sample

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.registration.graph_tracking import Tracking
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.registration.registration import FRAMES, register_early_frames
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.progress import silent

LENGTH, NODES = 8, 5


class Tracker:
    """Takes frames as they come, and remembers them; all fit but `bad`."""

    def __init__(self):
        self.calls, self.bad = [], None

    def __call__(self, sequence, frames, report):
        self.calls.append((sequence, frames))
        poses = np.broadcast_to(np.eye(4), (len(frames), NODES, 4, 4))
        scores = [9.0 if frame is self.bad else 1.0 for frame in frames]
        return Tracking(poses, np.array(scores), None)


@pytest.fixture
def tracker():
    return Tracker()


def recorded(*lengths):
    cloud = prepare_cloud(sample(box((0.3, 0.2, 0.1)), 400, 0, 1e-4))
    clouds = tuple(tuple(prepare_cloud(cloud.points) for _ in range(n)) for n in lengths)
    return Prepared(clouds, ((),), ((),), np.zeros(3), 1.0, None)


def moving(*starts):
    """Readings (F, 1) of sequences that start at these, relative to the first frame."""
    return np.concatenate([start + 0.2 * np.arange(LENGTH) for start in starts])[:, None]


def test_without_readings_the_first_frames_of_the_first_sequence_are_tracked(tracker):
    prepared = recorded(LENGTH, LENGTH)
    early = register_early_frames(prepared, None, tracker, silent)
    assert early.frames == list(prepared.sequences[0][1 : 1 + FRAMES]) and len(tracker.calls) == 1
    assert early.readings is None
    assert early.poses.shape == (FRAMES, NODES, 4, 4)


def test_with_readings_a_sequence_from_the_same_start_is_tracked_as_well(tracker):
    prepared = recorded(LENGTH, LENGTH, LENGTH)
    readings = moving(0.0, 0.5, 0.01)
    early = register_early_frames(prepared, readings, tracker, silent)
    first, _, third = prepared.sequences
    assert tracker.calls == [(0, list(first[1:])), (2, list(third[1:]))]
    # The first frames come first, whatever their sequence.
    pairs = zip(first[1:], third[1:], strict=True)
    assert early.frames == [frame for pair in pairs for frame in pair]
    rows = [row for age in range(1, LENGTH) for row in (age, 2 * LENGTH + age)]
    np.testing.assert_array_equal(early.readings, readings[rows])


def test_frames_after_one_that_was_lost_are_left_out(tracker):
    prepared = recorded(LENGTH, LENGTH)
    first, second = prepared.sequences
    tracker.bad = second[3]
    early = register_early_frames(prepared, moving(0.0, 0.0), tracker, silent)
    assert early.frames == [first[1], second[1], first[2], second[2], *first[3:]]


def test_a_second_sequence_of_one_frame_adds_nothing(tracker):
    prepared = recorded(LENGTH, 1)
    readings = np.concatenate([moving(0.0), [[0.0]]])
    early = register_early_frames(prepared, readings, tracker, silent)
    assert early.frames == list(prepared.sequences[0][1:])


def test_one_frame_alone_is_refused(tracker):
    prepared = recorded(1, LENGTH)
    with pytest.raises(ReconstructionError, match="first sequence has 1 frame"):
        register_early_frames(prepared, None, tracker, silent)
