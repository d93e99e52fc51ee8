"""Errors of poses are those that were put in, and symmetric turns are none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.assessment.metrics.video.pose_error import pose_errors
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.pose_track import BodySymmetry, PoseTrack
from autourdf_ros.geometry.rigid_motion import moved_about, transform

pytestmark = pytest.mark.fast
CENTRE, AXIS = np.array([0.1, 0.0, 0.2]), np.array([0.0, 0.0, 1.0])
FLIP = np.diag([1.0, -1.0, -1.0])


def symmetry(kind="none"):
    rotations = np.array([np.eye(3), FLIP] if kind == "axial" else [np.eye(3)])
    return BodySymmetry(kind, CENTRE, AXIS, rotations)


def random_poses(rng, count):
    poses = np.tile(np.eye(4), (1, count, 1, 1))
    poses[0, :, :3, :3] = Rotation.random(count, rng=rng).as_matrix()
    poses[0, :, :3, 3] = rng.normal(size=(count, 3))
    return poses


def track_of(poses, covariances, kind="none"):
    stamps = np.arange(poses.shape[1]) / 30.0
    return PoseTrack(("body",), stamps, poses, covariances, CENTRE[None], (symmetry(kind),))


def test_a_shift_is_its_mean_absolute_coordinate():
    true = random_poses(np.random.default_rng(0), 5)
    poses = true.copy()
    poses[0, :, :3, 3] += (0.003, 0, -0.006)
    errors = pose_errors(track_of(poses, np.tile(np.eye(6), (1, 5, 1, 1))), true)
    assert errors.position == pytest.approx(0.003)
    assert errors.angle == pytest.approx(0, abs=1e-9)
    assert errors.both == pytest.approx(0.0015)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_a_spin_and_a_flip_of_a_pole_are_no_errors(seed):
    rng = np.random.default_rng(seed)
    true = random_poses(rng, 4)
    turn = Rotation.from_rotvec(AXIS * rng.uniform(-3, 3)).as_matrix() @ FLIP
    moved = np.eye(4)
    moved[:3, :3], moved[:3, 3] = turn, CENTRE - turn @ CENTRE
    errors = pose_errors(track_of(true @ moved, np.tile(np.eye(6), (1, 4, 1, 1)), "axial"), true)
    assert errors.both < 1e-7


@pytest.mark.parametrize(("factor", "low", "high"), [(1.0, 0.93, 0.975), (0.5, 0.6, 0.76)])
def test_coverage_is_that_of_the_stated_covariances(factor, low, high):
    rng = np.random.default_rng(1)
    true = random_poses(rng, 400)
    root = rng.normal(size=(6, 6)) * np.repeat([0.003, 0.001], 3)[:, None]
    twists = rng.normal(size=(400, 6)) @ root.T
    poses = moved_about(transform(true[0], CENTRE), twists, true[0])[None]
    covariances = np.tile(factor**2 * root @ root.T, (1, 400, 1, 1))
    errors = pose_errors(track_of(poses, covariances), true)
    assert low < errors.coverage < high


def test_what_was_not_seen_does_not_count():
    true = random_poses(np.random.default_rng(0), 4)
    poses = true.copy()
    poses[0, 1:] = np.nan
    covariances = np.tile(np.eye(6), (1, 4, 1, 1))
    assert pose_errors(track_of(poses, covariances), true).seen == 0.25
    with pytest.raises(InputError, match="no body was seen"):
        pose_errors(track_of(np.full_like(poses, np.nan), covariances), true)
