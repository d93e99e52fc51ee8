"""What moves in a video is cut out of what stands still."""

from dataclasses import replace

import numpy as np
import pytest
from video_scene import camera, cart_pole

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.estimation.video.unknown.moving_points import moving_points

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scene():
    return cart_pole(12, view=camera(160, 120))


def test_points_are_those_of_moving_bodies_in_the_world(scene):
    seen = moving_points(scene.video, 4, TrackOptions())
    assert 4 <= len(seen.frames) <= 5 and seen.frames[-1] == 11
    counts = [len(points) for points in seen.points]
    assert counts[seen.reference] == max(counts)
    for points, everything in zip(seen.points, seen.scenes, strict=True):
        assert points[:, 1].max() < 0.2  # the wall is at 0.575 m
        assert points[:, 2].min() > -0.12  # the table is at -0.125 m
        assert everything[:, 1].max() > 0.5
    assert np.allclose(seen.eye, scene.video.camera.pose[:3, 3])


def test_a_video_in_which_nothing_moves_and_one_without_depth_are_refused(scene):
    still = replace(scene.video, depth=np.repeat(scene.video.depth[:1], 12, axis=0))
    with pytest.raises(InputError, match="nothing moves in it: at most 0 pixels"):
        moving_points(still, 4, TrackOptions())
    colors = np.zeros((12, 120, 160, 3), np.uint8)
    with pytest.raises(InputError, match=r"no depth images; accepted .* --shapes FOLDER"):
        moving_points(replace(scene.video, depth=None, colors=colors), 4, TrackOptions())
