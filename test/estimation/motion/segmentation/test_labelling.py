from dataclasses import replace

import numpy as np
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.point_costs import (
    COST_CAP,
    NORMAL_COST,
    distance_costs,
    own_costs,
    point_costs,
)
from autourdf_ros.estimation.motion.segmentation.labelling import drop_specks, smooth_labels
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3

SHAPES = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.205))]
TWISTS = np.zeros((3, 2, 6))
TWISTS[:, 1, 0] = [0.1, 0.2, 0.3]
TWISTS[:, 1, 4] = [0.02, 0.0, -0.02]
POSES = exp_se3(TWISTS)


def scene():
    """Two boxes that move apart: reference, frames, true labels, neighbour graph."""
    reference, labels = merged_cloud(SHAPES, exp_se3(np.zeros((2, 6))), 800, 0)
    frames = [merged_cloud(SHAPES, poses, 800, 1 + i)[0] for i, poses in enumerate(POSES)]
    return reference, frames, labels, neighbour_graph(reference.points, reference.spacing)


def test_points_go_to_the_body_that_explains_them():
    reference, frames, truth, neighbours = scene()
    start = truth.copy()
    border = np.abs(reference.points[:, 2] - 0.05) < 0.03
    start[border] = 1 - start[border]
    costs = point_costs(reference, start, frames, POSES, noise=7e-4)
    assert costs.shape == (1600, 2)
    assert costs[np.isfinite(costs)].max() <= COST_CAP
    labels = smooth_labels(costs, neighbours)
    claimed = np.isfinite(costs).all(axis=1)
    assert (start[claimed] == truth[claimed]).mean() < 0.75
    assert (labels[claimed] == truth[claimed]).mean() > 0.9


def test_a_cost_is_of_distance_place_and_normal():
    grid = np.stack(np.meshgrid(np.arange(21.0), np.arange(21.0), [0.0]), -1).reshape(-1, 3)
    plane = prepare_cloud(0.01 * grid)
    middle, up, along = np.array([0.1, 0.1, 0.0]), np.eye(3)[2], np.eye(3)[0]
    noise = 0.002
    moved = middle + np.array(
        [0 * up, noise * up, -2 * noise * up, 0 * up, 0 * up, up, -0.12 * along, -0.107 * along]
    )
    turned = np.array([up, -up, up, along, (up + along) / np.sqrt(2), up, up, up])
    costs = distance_costs(plane, moved, turned, noise)
    beyond = np.array([2 * (0.02 / 0.01 - 1) ** 2, 0.0])  # of the rim, less a spacing
    expected = [0, 0.5, 2, NORMAL_COST, NORMAL_COST / 2, COST_CAP, *beyond]
    np.testing.assert_allclose(costs, expected, atol=1e-6)


def test_planes_and_normals_count_as_far_as_surfaces_are_flat():
    grid = np.stack(np.meshgrid(np.arange(21.0), np.arange(21.0), [0.0]), -1).reshape(-1, 3)
    half = replace(prepare_cloud(0.01 * grid), flatness=np.full(441, 0.5))
    middle, up, along = np.array([0.1, 0.1, 0.0]), np.eye(3)[2], np.eye(3)[0]
    moved = middle + np.array([0.002 * up, 0 * up, -0.12 * along, up])
    turned = np.array([up, along, up, up])
    costs = distance_costs(half, moved, turned, 0.002, flatness=np.array([1, 0.2, 0.0, 0.0]))
    expected = [0.5 * 0.5, 0.5 * 0.2 * NORMAL_COST, 2 * (0.02 / 0.01 - 1) ** 2, COST_CAP]
    np.testing.assert_allclose(costs, expected, atol=1e-6)


def test_bodies_are_registered_to_every_frame():
    reference, frames, truth, _ = scene()
    off = exp_se3(np.random.default_rng(0).normal(0, 0.004, (3, 2, 6)))
    bodies = refit_bodies(reference, truth, frames, POSES @ off, gate=0.04, iterations=10)
    errors = np.linalg.norm(log_se3(inverse(POSES) @ bodies.poses), axis=-1)
    assert errors.max() < 0.006
    assert np.median(errors) < 0.3 * np.median(np.linalg.norm(log_se3(off), axis=-1))
    assert (np.linalg.eigvalsh(bodies.information) > -1e-6).all()
    assert (bodies.weights > 100).all()


def test_held_bodies_do_not_turn_or_do_not_move():
    reference, frames, truth, _ = scene()
    start = np.tile(np.eye(4), (3, 2, 1, 1))
    locked = refit_bodies(reference, truth, frames, start, gate=0.05, locked=[1]).poses
    np.testing.assert_allclose(locked[:, 1, :3, :3], start[:, 1, :3, :3], atol=1e-6)
    assert np.abs(locked[1, 1, :3, 3]).max() > 0.01
    still = refit_bodies(reference, truth, frames, start, gate=0.05, still=[1]).poses
    np.testing.assert_allclose(still[:, 1], start[:, 1], atol=1e-6)


def test_a_body_without_points_shows_nothing_and_stays():
    reference, frames, truth, _ = scene()
    poses = np.concatenate([POSES, POSES[:, :1]], axis=1)
    bodies = refit_bodies(reference, truth, frames, poses, gate=0.04)
    np.testing.assert_allclose(bodies.poses[:, 2], POSES[:, 0], atol=1e-9)
    assert np.abs(bodies.information[:, 2]).max() < 1e-9
    costs = point_costs(reference, truth, frames, poses, noise=7e-4)
    assert np.isinf(costs[:, 2]).all()


def test_points_that_nothing_claims_have_no_label():
    _, _, _, neighbours = scene()
    costs = np.ones((1600, 2))
    costs[5] = np.inf
    assert smooth_labels(costs, neighbours)[5] == -1


def test_smoothing_overrules_a_point_that_is_nearly_undecided():
    _, _, _, neighbours = scene()
    costs = np.tile([1.0, 2.0], (1600, 1))
    costs[7] = [1.2, 1.0]
    assert not smooth_labels(costs, neighbours).any()
    assert smooth_labels(costs, neighbours, smoothing=0.0)[7] == 1


def test_specks_take_the_label_around_them():
    reference, _, truth, neighbours = scene()
    labels = truth.copy()
    middle = np.linalg.norm(reference.points - [0.15, 0.0, 0.0], axis=1).argsort()[:4]
    labels[middle] = 1
    np.testing.assert_array_equal(drop_specks(labels, neighbours, 20)[middle], 0)
    np.testing.assert_array_equal(drop_specks(labels, neighbours, 2)[middle], 1)


def test_a_body_without_points_may_claim_what_lies_between_those_that_it_joins():
    reference, frames, truth, _ = scene()
    poses = np.concatenate([POSES[:, :1], POSES], axis=1)
    labels = np.where(truth == 1, 2, 0)
    none = point_costs(reference, labels, frames, poses, noise=7e-4)
    assert np.isinf(none[:, 1]).all()
    costs = point_costs(reference, labels, frames, poses, noise=7e-4, parents=np.array([0, 1]))
    between = np.isfinite(costs[:, [0, 2]]).all(axis=1)
    np.testing.assert_array_equal(np.isfinite(costs[:, 1]), between)
    assert 0 < between.sum() < len(between)
    np.testing.assert_allclose(costs[between, 1], costs[between, 0])


def test_a_point_of_no_body_costs_the_cap_and_others_their_own():
    reference, frames, truth, _ = scene()
    labels = truth.copy()
    labels[::7] = -1
    costs = point_costs(reference, labels, frames, POSES, noise=7e-4)
    own = own_costs(reference, labels, frames, POSES, noise=7e-4)
    assert (own[labels < 0] == COST_CAP).all()
    np.testing.assert_array_equal(own[labels == 0], costs[labels == 0, 0])
    np.testing.assert_array_equal(own[labels == 1], costs[labels == 1, 1])
