from dataclasses import replace

import numpy as np
import pytest
from sampled_shapes import box, sample

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.registration.preparation import (
    ALIGNED_FRAMES,
    aligning_count,
    extended,
    prepare,
)

POINTS = 900


def recorded(lengths, cameras):
    """Boxes seen by two cameras that are a little off, or by nobody knows what."""
    sequences, seed = [], 0
    for length in lengths:
        frames = []
        for _ in range(length):
            points = np.concatenate([sample(box((0.5, 0.3, 0.2)), 700, seed + i) for i in (0, 1)])
            seen = np.repeat(np.array([0, 1], dtype=np.uint8), 700)
            points[seen == 1] += [0.002, 0, 0.001]
            frames.append(
                Frame(
                    points.astype(np.float32),
                    np.full((1400, 3), seed, np.uint8),
                    joint_positions={"a": float(seed)},
                    cameras=seen if cameras else None,
                )
            )
            seed += 2
        sequences.append(Sequence(tuple(frames), str(len(sequences))))
    return Recording(tuple(sequences))


def first(recording, *lengths):
    """The recording with only so many frames of its sequences."""
    pairs = zip(recording.sequences, lengths, strict=False)
    return Recording(tuple(replace(s, frames=s.frames[:n]) for s, n in pairs))


def prepared(recording, before=None):
    shares = []
    result = prepare(recording, POINTS, report=shares.append, before=before)
    assert shares[-1] == 1.0 and (np.diff(shares) >= 0).all()
    return result


def check_alike(one, other):
    assert [len(s) for s in one.sequences] == [len(s) for s in other.sequences]
    for a, b in zip(one.clouds, other.clouds, strict=True):
        np.testing.assert_array_equal(a.points, b.points)
        np.testing.assert_array_equal(a.normals, b.normals)
    for a, b in zip(sum(one.colors, ()), sum(other.colors, ()), strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.readings == other.readings


@pytest.mark.parametrize("lengths", [(2,), (3, 1), (3, 2)])
def test_what_was_prepared_before_is_taken_as_it_is(lengths):
    recording = recorded((3, 2), cameras=False)
    before = prepared(first(recording, *lengths))
    after = prepared(recording, before)
    check_alike(after, prepared(recording))
    for number, length in enumerate(lengths):
        pairs = zip(after.sequences[number][:length], before.sequences[number], strict=True)
        assert all(a is b for a, b in pairs)


def test_frames_may_come_one_by_one():
    recording = recorded((3, 2), cameras=False)
    longer = prepared(first(recording, 2))
    for number, index in ((0, 2), (1, 0), (1, 1)):
        longer = extended(longer, recording.sequences[number].frames[index], number, POINTS)
    check_alike(longer, prepared(recording))


def test_more_frames_align_the_cameras_anew_and_all_frames_with_them():
    recording = recorded((4,), cameras=True)
    before = prepared(first(recording, 2))
    late = extended(before, recording.frames[2], 0, POINTS)
    np.testing.assert_array_equal(late.camera_corrections, before.camera_corrections)
    after = prepared(recording, before)
    assert not np.array_equal(after.camera_corrections, before.camera_corrections)
    check_alike(after, prepared(recording))


def test_frames_after_those_that_align_the_cameras_change_nothing():
    recording = recorded((ALIGNED_FRAMES, 2), cameras=True)
    before = prepared(first(recording, ALIGNED_FRAMES))
    after = prepared(recording, before)
    assert after.cameras is before.cameras
    check_alike(after, prepared(recording))


def test_a_camera_that_sees_something_later_is_aligned_as_well():
    recording = recorded((ALIGNED_FRAMES, 2, 1), cameras=True)
    assert aligning_count(recording) == ALIGNED_FRAMES
    early = recording.sequences[0]
    alone = [replace(frame, cameras=np.zeros_like(frame.cameras)) for frame in early.frames]
    others = recording.sequences[1:]
    assert aligning_count(Recording((Sequence(tuple(alone)), *others))) == ALIGNED_FRAMES + 2
