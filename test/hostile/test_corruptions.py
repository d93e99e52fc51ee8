"""Corruptions of recordings are reproducible and keep the arrays consistent."""

from dataclasses import replace

import numpy as np
import pytest
from corruptions import CORRUPTIONS, corrupted, cut, mirrored, strange, uncorrupted
from synthetic_robot import moving_recording

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.geometry.rigid_motion import transform

GOOD, OTHER = moving_recording(5, 80), moving_recording(4, 60, sway=0.1)


def same(one, other):
    return all(
        np.array_equal(a.points, b.points, equal_nan=True)
        and a.joint_positions.keys() == b.joint_positions.keys()
        for a, b in zip(one.frames, other.frames, strict=True)
    )


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda corruption: corruption.__name__)
@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_every_corruption_gives_frames_of_consistent_arrays(corruption, strength):
    colored = []
    for frame in GOOD.frames:
        count = len(frame.points)
        grey, first = np.zeros((count, 3), np.uint8), np.zeros(count, np.uint8)
        colored.append(replace(frame, colors=grey, cameras=first))
    good = Recording((Sequence(tuple(colored), "0000"),))
    corrupted = corruption(uncorrupted(good), OTHER, strength, np.random.default_rng(1))
    assert len(corrupted.frames) == len(corrupted.origins) == len(corrupted.moves) >= 1
    for frame in corrupted.frames:
        count = len(frame.points)
        assert frame.points.shape == (count, 3) and frame.points.dtype == np.float32
        if frame.colors is not None and corruption not in (strange,):
            assert len(frame.cameras) == len(frame.colors)
    assert same(GOOD, moving_recording(5, 80)), "the good recording was changed"


def test_a_case_is_always_the_same_and_others_differ():
    first, names = corrupted(GOOD, OTHER, np.random.default_rng([3, 7]))
    again, same_names = corrupted(GOOD, OTHER, np.random.default_rng([3, 7]))
    assert names == same_names and same(first.recording, again.recording)
    others = {corrupted(GOOD, OTHER, np.random.default_rng([3, n]))[1] for n in range(20)}
    assert len(others) == 20


def test_whole_frames_are_where_their_moves_say():
    corrupted = mirrored(uncorrupted(GOOD), OTHER, 0.5, np.random.default_rng(0))
    turned = np.linalg.det(corrupted.moves[:, :3, :3]) < 0
    assert turned.any()
    for frame, origin, move in zip(
        corrupted.frames, corrupted.origins, corrupted.moves, strict=True
    ):
        true = transform(move, GOOD.frames[origin].points.astype(float))
        np.testing.assert_allclose(frame.points, true, atol=1e-6)


def test_it_is_kept_which_frames_are_left_and_which_are_of_another_robot():
    half = cut(uncorrupted(GOOD), OTHER, 0.6, np.random.default_rng(0))
    assert len(half.frames) == 2 and (np.diff(half.origins) > 0).all()
    assert all(f is GOOD.frames[o] for f, o in zip(half.frames, half.origins, strict=True))
    foreign = strange(uncorrupted(GOOD), OTHER, 1.0, np.random.default_rng(0))
    numbers = -1 - foreign.origins
    assert all(f is OTHER.frames[n] for f, n in zip(foreign.frames, numbers, strict=True))
    stamps = [frame.stamp for frame in foreign.recording.frames]
    assert stamps == sorted(set(stamps))


def test_no_frame_is_needed_to_have_readings():
    blind = [Frame(frame.points) for frame in GOOD.frames]
    for corruption in CORRUPTIONS:
        good = uncorrupted(Recording((Sequence(tuple(blind), "0000"),)))
        corruption(good, OTHER, 0.6, np.random.default_rng(2))
