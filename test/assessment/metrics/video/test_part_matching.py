"""Parts that were found without shapes are compared with the bodies that they move with."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.assessment.metrics.video.part_matching import (
    as_tracked,
    centre_wander,
    matching_bodies,
)
from autourdf_ros.estimation.video.joints.fitting.pair_motion import NO_SYMMETRY
from autourdf_ros.estimation.video.pose_track import PoseTrack

pytestmark = pytest.mark.fast
FRAMES = 20


def _truth():
    """Three bodies: one stands still, one slides, one turns."""
    truth = np.tile(np.eye(4), (3, FRAMES, 1, 1))
    truth[1, :, 0, 3] = np.linspace(0, 0.3, FRAMES)
    truth[2, :, :3, :3] = Rotation.from_euler("z", np.linspace(0, 1, FRAMES)[:, None]).as_matrix()
    return truth


def _track(truth, bodies, seed=0):
    """Parts fixed anywhere in the bodies, with noise of 0.1 mm."""
    rng = np.random.default_rng(seed)
    poses = []
    for body in bodies:
        fixed = np.eye(4)
        fixed[:3, :3] = Rotation.random(random_state=rng).as_matrix()
        fixed[:3, 3] = rng.normal(size=3)
        poses.append(truth[body] @ fixed)
    poses = np.array(poses)
    poses[..., :3, 3] += 1e-4 * rng.normal(size=poses[..., :3, 3].shape)
    poses[0, 3] = np.nan
    count = len(bodies)
    names = tuple(f"part_{k + 1}" for k in range(count))
    covariances = np.tile(np.eye(6), (count, FRAMES, 1, 1))
    symmetries = (NO_SYMMETRY,) * count
    return PoseTrack(
        names, np.arange(FRAMES) / 30, poses, covariances, np.zeros((count, 3)), symmetries
    )


def test_parts_are_the_bodies_that_they_move_with_and_never_what_stands_still():
    truth = _truth()
    assert matching_bodies(_track(truth, [2, 1]), truth) == {0: 2, 1: 1}
    assert matching_bodies(_track(truth, [1]), truth) == {0: 1}
    assert len(matching_bodies(_track(truth, [1, 2, 2]), truth)) == 2


def test_true_poses_of_a_part_are_those_of_a_frame_that_is_fixed_in_the_body():
    truth = _truth()
    track = _track(truth, [2])
    stated = as_tracked(track, 0, truth[2])
    seen = track.seen[0]
    assert np.abs(stated[seen] - track.poses[0, seen]).max() < 5e-4
    relative = np.linalg.inv(truth[2]) @ stated
    assert np.allclose(relative, relative[0])


def test_a_centre_wanders_by_where_it_goes_and_not_by_how_it_turns():
    truth = _truth()
    track = _track(truth, [1])
    assert centre_wander(track, 0, truth[1]) < 5e-4
    assert centre_wander(track, 0, truth[0]) > 0.02  # a slide of 0.3 m, mean of three axes
    turned = track.poses.copy()
    seen = track.seen[0]
    turned[0, seen] = turned[0, seen] @ truth[2, seen]  # about its own centre
    spinning = PoseTrack(
        track.bodies, track.stamps, turned, track.covariances, track.centres, track.symmetries
    )
    assert centre_wander(spinning, 0, truth[1]) < 5e-4
