import numpy as np
import pytest
from sampled_shapes import box, cylinder, random_pose, random_twists, sample

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.segmentation.merging import fuse_poses, merge_bodies, separation
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform

NOISE = 7e-4
STOP = 150.0
PAIR = np.array([[0, 1]])
SPIN = np.array([0, 0, 1.0, 0, 0, 0])


def halves(shape, twists):
    """Upper and lower half of a shape, tracked as they move by twists (F, 2, 6)."""
    reference = prepare_cloud(sample(shape, 3000, 0))
    labels = (reference.points[:, 2] > 0).astype(np.int64)
    poses = exp_se3(twists)
    frames = []
    for seed, pair in enumerate(poses, 1):
        points = sample(shape, 3000, seed)
        frames.append(prepare_cloud(transform(pair[(points[:, 2] > 0).astype(int)], points)))
    return refit_bodies(reference, labels, frames, poses, gate=0.03)


def test_blind_to_a_cylinders_spin():
    twists = np.zeros((3, 2, 6))
    twists[:, 1] = np.array([0.2, 0.4, 0.6])[:, None] * SPIN
    round_halves = halves(cylinder(0.1, 0.5), twists)
    turned = np.linalg.norm(log_se3(inverse(round_halves.poses[:, 0]) @ round_halves.poses[:, 1]))
    assert turned > 0.5
    assert separation(round_halves, *PAIR.T, NOISE)[0] < STOP
    assert merge_bodies(round_halves, PAIR, STOP, NOISE)[0].tolist() == [0, 0]


def test_a_box_that_spins_so_is_two_bodies():
    twists = np.zeros((3, 2, 6))
    twists[:, 1] = np.array([0.2, 0.4, 0.6])[:, None] * SPIN
    square = halves(box((0.2, 0.2, 0.5)), twists)
    assert separation(square, *PAIR.T, NOISE)[0] > 10 * STOP
    assert merge_bodies(square, PAIR, STOP, NOISE)[0].tolist() == [0, 1]


@pytest.mark.parametrize("apart", [False, True])
def test_pieces_that_move_apart_are_not_merged(apart):
    twists = np.tile(random_twists(np.random.default_rng(0), 3, 1, size=0.02), (1, 2, 1))
    twists[:, 1, 5] += 0.03 * apart
    bodies = halves(box((0.2, 0.2, 0.5)), twists)
    owners, costs = merge_bodies(bodies, PAIR, STOP, NOISE)
    assert owners.tolist() == ([0, 1] if apart else [0, 0])
    assert len(costs) == (0 if apart else 1)


def four_bodies():
    """Bodies of full information, of which 0 and 2, and 1 and 3, move alike."""
    first, second = random_pose(0, 0.1), random_pose(1, 0.1)
    poses = np.stack([first, second, first, second])[None]
    return Bodies(poses, np.tile(np.eye(6), (1, 4, 1, 1)), np.ones((1, 4)))


def test_merges_only_neighbours_and_never_the_locked_one():
    noise = 0.01
    edges = np.array([[0, 2], [1, 2], [1, 3]])
    owners, costs = merge_bodies(four_bodies(), edges, 1.0, noise)
    assert owners.tolist() == [0, 1, 0, 1]
    assert len(costs) == 2
    assert merge_bodies(four_bodies(), edges, 1.0, noise, locked=2)[0].tolist() == [0, 1, 2, 1]
    assert merge_bodies(four_bodies(), edges[:1], 1.0, noise)[0].tolist() == [0, 1, 0, 2]
    assert merge_bodies(four_bodies(), edges[:0], 1.0, noise)[0].tolist() == [0, 1, 2, 3]
    assert merge_bodies(four_bodies(), edges, 1e9, noise)[0].tolist() == [0, 0, 0, 0]


def test_separation_is_measured_in_squared_noise():
    bodies = four_bodies()
    plain = separation(bodies, *PAIR.T, 0.01)
    assert separation(bodies, *PAIR.T, 0.02)[0] == pytest.approx(plain[0] / 4)


def test_fused_motion_is_nearer_to_the_better_seen():
    first = np.eye(4)
    second = exp_se3(np.array([0, 0, 0, 0.3, 0, 0]))
    fused = fuse_poses(first, 2 * np.eye(6), second, np.eye(6))
    np.testing.assert_allclose(fused[:3, 3], [0.1, 0, 0], atol=1e-5)
    blind = np.diag([1.0, 1, 1, 0, 1, 1])
    np.testing.assert_allclose(fuse_poses(first, blind, second, np.eye(6))[0, 3], 0.3, atol=1e-4)
