"""Bodies of known shape are tracked through depth videos with noise."""

from functools import cache

import numpy as np
import pytest
from video_scene import cart_pole

from autourdf_ros.assessment.metrics.video.pose_error import pose_errors
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.tracking.track_bodies import track_bodies
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions
from autourdf_ros.progress import silent

pytestmark = pytest.mark.slow


@cache
def tracked(seed):
    scene = cart_pole(frames=30, seed=seed)
    return scene, *track_bodies(scene.video, scene.started_off(seed), TrackOptions(), silent)


@pytest.mark.parametrize("seed", [0, 1])
def test_poses_are_right_to_a_millimetre_and_a_tenth_of_a_degree(seed):
    scene, track, warnings = tracked(seed)
    errors = pose_errors(track, scene.poses)
    assert errors.seen == 1.0
    assert errors.position < 0.001
    assert errors.angle < np.radians(0.1)
    assert warnings == ()


def test_most_errors_are_within_two_standard_deviations():
    scene, track, _ = tracked(0)
    assert pose_errors(track, scene.poses).coverage > 0.8


def test_the_spin_of_a_pole_is_unknown_and_does_not_jump():
    _, track, _ = tracked(0)
    pole = track.bodies.index("pole")
    axes = track.poses[pole, :, :3, :3] @ track.symmetries[pole].axis
    spread = np.einsum("ti,tij,tj->t", axes, track.covariances[pole, :, :3, :3], axes)
    assert (spread > 1.0).all()
    steps = track.poses[pole, 1:, :3, :3] @ np.swapaxes(track.poses[pole, :-1, :3, :3], -1, -2)
    assert np.trace(steps, axis1=-2, axis2=-1).min() > 1 + 2 * np.cos(np.radians(10))


def test_no_shape_is_no_track():
    scene, _, _ = tracked(0)
    with pytest.raises(InputError, match="at least one"):
        track_bodies(scene.video, (), TrackOptions(), silent)
