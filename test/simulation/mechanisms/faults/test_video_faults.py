"""Faults of a recording do what they say, and only that."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.cameras.noise import NO_NOISE
from autourdf_ros.simulation.mechanisms.faults.video_faults import HAND_MASK, VideoFaults
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record

pytestmark = pytest.mark.fast
OPTIONS = VideoOptions(frames=20, size=(80, 60), noise=NO_NOISE)


def made(name="cart_pole", **faults):
    scene = mechanism_scene(name).sample(0)
    return record(scene, 0, replace(OPTIONS, faults=VideoFaults(**faults)))


def test_dropped_frames_lack_and_the_others_stay():
    (whole, _), (video, truth) = made(), made(dropped=0.4)
    assert 5 <= len(video.stamps) < 18
    kept = np.searchsorted(whole.stamps, video.stamps)
    assert np.array_equal(whole.stamps[kept], video.stamps)
    assert np.array_equal(whole.depth[kept], video.depth, equal_nan=True)
    assert truth.poses.shape[1] == len(video.stamps)


def test_a_hand_hides_part_of_the_middle_of_the_video():
    (whole, _), (video, _) = made(), made(hand=True)
    hidden = video.masks == HAND_MASK
    seen = hidden.any(axis=(1, 2))
    assert not seen[:5].any() and seen[9:12].all() and not seen[-5:].any()
    assert (video.depth[hidden] < np.nan_to_num(whole.depth[hidden], nan=9)).all()
    assert np.array_equal(video.depth[~hidden], whole.depth[~hidden], equal_nan=True)
    pole = (whole.masks == 2) & hidden
    assert pole.any()


def test_a_bump_moves_the_background_from_the_middle_on():
    (whole, _), (video, _) = made(), made(bump=0.02)
    same = [
        np.array_equal(a, b, equal_nan=True) for a, b in zip(whole.depth, video.depth, strict=True)
    ]
    assert same == [True] * 10 + [False] * 10
    assert np.array_equal(whole.camera.pose, video.camera.pose)  # which nobody noticed


def test_a_rolling_shutter_shows_lower_rows_later():
    scene = mechanism_scene("cart_pole").sample(0)
    readout = 0.03
    rolled, truth = record(scene, 0, replace(OPTIONS, faults=VideoFaults(readout=readout)))
    whole, exact = record(scene, 0, OPTIONS)
    later, _ = record(scene, 0, replace(OPTIONS, frame_period=readout * 7 / 8))
    assert np.array_equal(rolled.depth[:, :7], whole.depth[:, :7], equal_nan=True)
    assert np.array_equal(rolled.depth[0, 53:], later.depth[1, 53:], equal_nan=True)
    assert not np.array_equal(rolled.depth, whole.depth, equal_nan=True)
    assert np.array_equal(truth.poses, exact.poses)


@pytest.mark.parametrize("faults", [{"dropped": 1.0}, {"bump": np.nan}, {"readout": -1.0}])
def test_faults_out_of_range_are_refused(faults):
    with pytest.raises(InputError, match="faults: dropped"):
        VideoFaults(**faults)
