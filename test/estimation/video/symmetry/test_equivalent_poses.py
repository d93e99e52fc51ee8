import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanism_scenes import random_pose
from mechanism_tracks import CAPSULE, NO_SYMMETRY, Z

from autourdf_ros.estimation.video.pose_track import BodySymmetry, PoseTrack
from autourdf_ros.estimation.video.symmetry.equivalent_poses import (
    continuous_poses,
    nearest_equivalent,
    spun,
)
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_so3

BALL = BodySymmetry("spherical", np.array([0.1, 0.0, 0.0]), Z, np.eye(3)[None])
BOX = BodySymmetry(
    "discrete",
    np.zeros(3),
    Z,
    np.array([np.eye(3), np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])]),
)


def turned(poses, wanted):
    """Angles (T,) between poses."""
    relative = np.swapaxes(poses[:, :3, :3], 1, 2) @ wanted[:, :3, :3]
    return np.linalg.norm(log_so3(relative), axis=1)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_a_pose_that_looks_alike_is_brought_back(seed):
    rng = np.random.default_rng(seed)
    wanted = random_pose(rng)[None]
    spin = exp_se3(np.array([0, 0, rng.uniform(-np.pi, np.pi), 0, 0, 0]))
    flip = np.eye(4)
    flip[:3, :3] = CAPSULE.rotations[rng.integers(2)]
    np.testing.assert_allclose(
        nearest_equivalent(CAPSULE, wanted @ spin @ flip, wanted), wanted, atol=1e-9
    )
    flip[:3, :3] = BOX.rotations[rng.integers(4)]
    np.testing.assert_allclose(nearest_equivalent(BOX, wanted @ flip, wanted), wanted, atol=1e-9)


def test_no_spin_is_nearer_than_the_one_chosen():
    rng = np.random.default_rng(2)
    pose, wanted = random_pose(rng)[None], random_pose(rng)[None]
    chosen = turned(nearest_equivalent(CAPSULE, pose, wanted), wanted)
    spins = exp_se3(np.outer(np.linspace(-np.pi, np.pi, 200), [0, 0, 1.0, 0, 0, 0]))
    flip = np.eye(4)
    flip[:3, :3] = CAPSULE.rotations[1]
    every = np.concatenate([pose @ spins, pose @ flip @ spins])
    assert chosen[0] <= turned(every, np.broadcast_to(wanted, every.shape)).min() + 1e-3


def test_a_ball_keeps_its_centre():
    rng = np.random.default_rng(3)
    pose, wanted = random_pose(rng)[None], random_pose(rng)[None]
    found = nearest_equivalent(BALL, pose, wanted)
    np.testing.assert_allclose(found[0, :3, :3], wanted[0, :3, :3], atol=1e-9)
    centre = np.append(BALL.centre, 1.0)
    np.testing.assert_allclose(found[0] @ centre, pose[0] @ centre, atol=1e-12)


def test_what_has_no_symmetry_stays():
    pose = random_pose(np.random.default_rng(4))[None]
    assert nearest_equivalent(NO_SYMMETRY, pose, np.eye(4)[None]) is pose
    assert spun(pose, np.ones((1, 3)), NO_SYMMETRY) is pose


def test_only_what_a_symmetry_leaves_open_is_turned():
    pose = random_pose(np.random.default_rng(5))[None]
    axis = pose[0, :3, :3] @ Z
    found = spun(pose, (0.3 * axis + 0.2 * np.cross(axis, [1.0, 0, 0]))[None], CAPSULE)
    spin = inverse(pose) @ found
    np.testing.assert_allclose(log_so3(spin[:, :3, :3]), [[0, 0, 0.3]], atol=1e-9)


def test_a_track_does_not_spin_and_gaps_stay():
    rng = np.random.default_rng(6)
    swing = exp_se3(np.outer(np.linspace(0, 1, 12), [1.0, 0, 0, 0, 0, 0]))
    spins = exp_se3(np.outer(rng.uniform(-3, 3, 12), [0, 0, 1.0, 0, 0, 0]))
    poses = (swing @ spins)[None].copy()
    poses[0, 4:6] = np.nan
    track = PoseTrack(
        ("pole",),
        np.arange(12.0),
        poses,
        np.tile(np.eye(6), (1, 12, 1, 1)),
        np.zeros((1, 3)),
        (CAPSULE,),
    )
    found = continuous_poses(track)[0]
    assert np.isnan(found[4:6]).all()
    seen = found[np.isfinite(found[:, 0, 0])]
    step = turned(seen[:-1], seen[1:])
    np.testing.assert_allclose(step, np.diff(np.linspace(0, 1, 12)[[0, 1, 2, 3, *range(6, 12)]]))
