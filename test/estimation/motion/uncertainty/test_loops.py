"""A four-bar linkage is a closed chain; joints that moved alike, or on one axis, are none."""

import numpy as np
import pytest
from sampled_shapes import angle_between, box, merged_cloud, random_twists

from autourdf_ros.estimation.common.joint_fit import line_point
from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.uncertainty.loops import find_loops
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, revolute_twist

NOISE, POINTS = 1e-3, 300
UP = np.array([0, 0, 1.0])
GROUND, CRANK, COUPLER, ROCKER = 0.4, 0.15, 0.35, 0.25


def four_bar(angles, ground=GROUND, crank=CRANK, coupler=COUPLER, rocker=ROCKER):
    """Pivots (F, 4, 2) A, B, C, D of a linkage with its crank A-B at angles (F,)."""
    a, d = np.zeros((len(angles), 2)), np.tile([ground, 0.0], (len(angles), 1))
    b = crank * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    across = d - b
    far = np.linalg.norm(across, axis=1, keepdims=True)
    along = (coupler**2 - rocker**2 + far**2) / (2 * far)
    height = np.sqrt(coupler**2 - along**2)
    unit = across / far
    c = b + along * unit + height * np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    return np.stack([a, b, c, d], axis=1)


def bar_poses(pivots):
    """Poses (F, 4, 4, 4) of ground, crank, coupler, rocker against the first frame."""
    poses = np.tile(np.eye(4), (len(pivots), 4, 1, 1))
    for body, (start, end) in enumerate([(0, 1), (1, 2), (3, 2)], start=1):
        along = pivots[:, end] - pivots[:, start]
        turn = np.arctan2(along[:, 1], along[:, 0])
        poses[:, body, :2, :2] = np.moveaxis(
            np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]), 2, 0
        )
        poses[:, body, :2, 3] = pivots[:, start]
    return poses @ inverse(poses[0])


def tree(pivots, poses):
    """The linkage without the joint of coupler and rocker, and its values (F, 3)."""
    start = np.concatenate([pivots[0], np.zeros((4, 1))], axis=1)
    points = start[[0, 1, 3]]
    model = Articulation(
        np.array([0, 1, 0]), revolute_twist(np.tile(UP, (3, 1)), points), np.ones(3, bool), points
    )
    turned = np.unwrap(np.arctan2(poses[..., 1, 0], poses[..., 0, 0]), axis=0)
    values = np.stack([turned[:, 1], turned[:, 2] - turned[:, 1], turned[:, 3]], axis=1)
    np.testing.assert_allclose(
        body_poses(model, values, np.tile(np.eye(4), (len(values), 1, 1))), poses, atol=1e-9
    )
    return model, values


def bars(pivots):
    """Boxes from pivot to pivot, the coupler above crank and rocker, these above the ground."""
    a, b, c, d = pivots[0]
    shapes = [box((0.6, 0.12, 0.04), (0.2, 0, -0.02))]
    for start, end, low in ((a, b, 0.0), (b, c, 0.04), (d, c, 0.0)):
        along = end - start
        bar = box((np.linalg.norm(along) + 0.04, 0.04, 0.04))
        pose = exp_se3(np.array([0, 0, np.arctan2(along[1], along[0]), 0, 0, 0]))
        pose[:3, 3] = [*(start + end) / 2, low + 0.02]
        shapes.append(bar.apply_transform(pose))
    return shapes


def test_a_four_bar_linkage_seen_as_clouds_is_a_closed_chain():
    angles = np.radians(np.linspace(60, 130, 9))
    pivots = four_bar(angles)
    poses = bar_poses(pivots)
    model, values = tree(pivots, poses)
    shapes = bars(pivots)
    reference, labels = merged_cloud(shapes, poses[0], 500, 0)
    frames = [merged_cloud(shapes, pose, 500, i)[0] for i, pose in enumerate(poses[1:], start=1)]
    rng = np.random.default_rng(0)
    near = exp_se3(random_twists(rng, *poses[1:].shape[:2], size=0.002)) @ poses[1:]
    bodies = refit_bodies(reference, labels, frames, near, gate=4 * reference.spacing)
    loops = find_loops(
        model,
        values[1:],
        bodies,
        reference,
        labels,
        exists=np.ones(3),
        noise=NOISE,
    )
    assert [(loop.first, loop.second, loop.type) for loop in loops] == [(2, 3, "revolute")]
    assert angle_between(loops[0].twist[:3], UP) < np.radians(1)
    np.testing.assert_allclose(line_point(loops[0].twist)[:2], pivots[0, 2], atol=0.003)
    np.testing.assert_allclose(loops[0].point[:2], pivots[0, 2], atol=0.003)
    assert loops[0].cost < 4


def registered(model, values, seed=0):
    """Bodies that move as the tree does, as they would be registered."""
    rng = np.random.default_rng(seed)
    poses = body_poses(model, values, np.tile(np.eye(4), (len(values), 1, 1)))
    metric = POINTS * np.diag([0.01, 0.01, 0.01, 1, 1, 1]) / 3
    wrong = rng.normal(size=(*poses.shape[:2], 6)) * NOISE / np.sqrt(np.diag(metric))
    information = np.tile(metric, (*poses.shape[:2], 1, 1))
    return Bodies(exp_se3(wrong) @ poses, information, np.full(poses.shape[:2], float(POINTS)))


def loops_of(model, values, seed=0, place=(0.0, 0.0, 0.0), exists=None):
    """Loops of a tree whose links all touch at a place (3,)."""
    count = len(model.parents) + 1
    points = place + np.random.default_rng(seed).normal(0, 0.001, (20 * count, 3))
    labels = np.repeat(np.arange(count), 20)
    bodies = registered(model, values, seed)
    cloud = prepare_cloud(points)
    exists = np.ones(count - 1) if exists is None else exists
    return find_loops(model, values, bodies, cloud, labels, exists=exists, noise=NOISE)


def parallel_axes(parents, points):
    points = np.array(points, float)
    count = len(parents)
    return Articulation(
        np.array(parents),
        revolute_twist(np.tile(UP, (count, 1)), points),
        np.ones(count, bool),
        points,
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_parallelogram_is_a_closed_chain_though_its_joints_move_in_proportion(seed):
    angles = np.radians(np.random.default_rng(seed).uniform(50, 120, 15))
    pivots = four_bar(angles, ground=0.3, crank=0.2, coupler=0.3, rocker=0.2)
    model, values = tree(pivots, bar_poses(pivots))
    loops = loops_of(model, values[1:], seed, (*pivots[0, 2], 0.0))
    assert [(loop.first, loop.second) for loop in loops] == [(2, 3)]
    assert loops_of(model, values[1:], seed, (*pivots[0, 2] + 0.1, 0.0)) == ()
    doubtful = np.array([1.0, 0.4, 0.4])
    assert loops_of(model, values[1:], seed, (*pivots[0, 2], 0.0), doubtful) == ()


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_that_moves_freely_has_none(seed):
    model = parallel_axes([0, 1, 2], [(0, 0, 0), (0.2, 0, 0), (0.3, 0.2, 0)])
    values = np.random.default_rng(seed).uniform(-0.6, 0.6, (15, 3))
    assert loops_of(model, values, seed) == ()


@pytest.mark.parametrize("seed", range(3))
def test_a_little_motion_in_proportion_is_no_closed_chain(seed):
    """It turns about one centre, as near as can be seen, wherever the axes are."""
    model = parallel_axes([0, 1], [(0, 0, 0), (0.2, 0, 0)])
    values = np.linspace(0.01, 0.15, 15)[:, None] * np.array([1.0, 0.7])
    assert loops_of(model, values, seed, (0.2 * 0.7 / 1.7, 0, 0)) == ()


@pytest.mark.parametrize("seed", range(3))
def test_joints_on_one_axis_are_no_closed_chain(seed):
    values = np.random.default_rng(seed).uniform(-0.6, 0.6, (15, 2))
    model = parallel_axes([0, 1], [(0.1, 0, 0), (0.1, 0, 0.3)])
    assert loops_of(model, values, seed, (0.1, 0, 0)) == ()


@pytest.mark.parametrize("seed", range(3))
def test_fingers_on_one_slide_are_no_closed_chain(seed):
    twists = np.tile([0, 0, 0, 0, 1.0, 0], (2, 1))
    model = Articulation(np.array([0, 0]), twists, np.zeros(2, bool), np.zeros((2, 3)))
    values = np.random.default_rng(seed).uniform(0, 0.05, 15)
    for other in (-values, np.random.default_rng(seed + 9).uniform(0, 0.05, 15)):
        assert loops_of(model, np.stack([values, other], axis=1), seed) == ()


def test_siblings_that_stand_still_against_each_other_are_no_closed_chain():
    model = parallel_axes([0, 0], [(0.1, 0, 0), (0.1, 0, 0.3)])
    values = np.random.default_rng(0).uniform(-0.6, 0.6, 15)
    assert loops_of(model, np.stack([values, values], axis=1), place=(0.1, 0, 0)) == ()
