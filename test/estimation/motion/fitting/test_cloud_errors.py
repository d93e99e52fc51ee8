"""Covariances against the scatter of many adjustments to new clouds of one robot."""

import numpy as np
import pytest
from sampled_shapes import box, merged_cloud

from autourdf_ros.estimation.common.joint_fit import across_basis, line_point
from autourdf_ros.estimation.motion.fitting.adjustment import MatchSchedule, adjust
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.cloud_errors import trial_twists
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, BasePrior, States
from autourdf_ros.estimation.motion.fitting.surface import surface_of
from autourdf_ros.estimation.motion.fitting.surface_comparison import KeySurface
from autourdf_ros.estimation.motion.uncertainty.weak_directions import line_covariance
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist, transform

SHAPES = [
    box((0.3, 0.3, 0.1)),
    box((0.1, 0.12, 0.3), (0, 0, 0.21)),
    box((0.4, 0.08, 0.1), (0.2, 0, 0.42)),
]
MODEL = Articulation(
    np.array([0, 1]),
    np.stack(
        [
            revolute_twist(np.array([0.0, 0, 1]), np.zeros(3)),
            revolute_twist(np.array([0.0, 1, 0]), np.array([0, 0, 0.4])),
        ]
    ),
    np.array([True, True]),
    np.array([[0, 0, 0.05], [0, 0, 0.4]]),
)
VALUES = np.random.default_rng(7).uniform(-0.4, 0.4, (8, 2))
STILL = np.tile(np.eye(4), (len(VALUES), 1, 1))
SIGMA = 1e-3
KEYS = 3
PATCH = 0.05  # m


def clouds(seed, patchy, sigma):
    """The reference and the frames, each with noise of its points and of patches of them (m)."""
    rng = np.random.default_rng([seed, 1])
    for number, poses in enumerate([STILL[:3], *body_poses(MODEL, VALUES, STILL)]):
        cloud, labels = merged_cloud(SHAPES, poses, 300, 100 * seed + number)
        cells = np.column_stack([labels, np.floor(cloud.points / PATCH)])
        patch = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
        noise = rng.normal(0, sigma, cloud.points.shape)
        noise += rng.normal(0, patchy, (patch.max() + 1, 3))[patch]
        yield prepare_cloud(cloud.points + noise), labels


def adjusted(seed, patchy, sigma=SIGMA):
    (reference, labels), *found = clouds(seed, patchy, sigma)
    frames = [cloud for cloud, _ in found]
    return adjust(
        ArticulatedSurface(MODEL, surface_of(reference, labels), BasePrior(0.0, np.inf), SIGMA),
        frames,
        States(VALUES, STILL),
        MatchSchedule(0.04, np.full(8, 3 * np.hypot(sigma, patchy))),
        keys=[KeySurface(surface_of(cloud, own), f) for f, (cloud, own) in enumerate(found[:KEYS])],
    )


def turns_and_shifts(model):
    """What brings the lines of a model to the true ones (J, 4)."""
    result = []
    for true, twist, point in zip(MODEL.twists, model.twists, model.anchors, strict=True):
        axis, across = twist[:3], across_basis(twist[:3])
        foot = line_point(true)
        crossing = foot + (point - foot) @ axis / (true[:3] @ axis) * true[:3]
        result.append([*across @ np.cross(axis, true[:3]), *across @ (crossing - point)])
    return np.array(result)


@pytest.mark.slow
@pytest.mark.parametrize("patchy", [0.0, 1.5e-3])
def test_lines_and_values_scatter_as_they_are_said_to(patchy):
    """Also where neighbouring points share their errors, which then average out less."""
    lines, values = [], []
    for seed in range(8):
        result = adjusted(seed, patchy)
        covariance = line_covariance(result.information, MODEL.revolute, result.noise)
        lines.append(turns_and_shifts(result.model).ravel() / np.sqrt(np.diag(covariance)))
        error = result.states.values - VALUES
        values.append(error / (result.noise * np.sqrt(result.value_variances)))
    assert 0.4 < np.mean(np.square(lines)) < 2.0
    assert 0.4 < np.mean(np.square(values)) < 2.0
    assert np.mean(np.abs(lines) < 2) > 0.85


def test_errors_that_neighbours_share_count_for_more():
    """As large at every point, but no less in the mean of a patch."""
    stds = []
    for sigma, patchy in ((np.hypot(SIGMA, 1.5e-3), 0.0), (SIGMA, 1.5e-3)):
        result = adjusted(3, patchy, sigma=sigma)
        covariance = line_covariance(result.information, MODEL.revolute, result.noise)
        stds.append(np.sqrt(np.diag(covariance)))
    assert np.median(stds[1] / stds[0]) > 1.3


def test_trial_twists_move_the_points_as_far_as_asked():
    rng = np.random.default_rng(0)
    points, normals = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.concatenate([np.cross(points, normals), normals], axis=1)
    information = np.stack([rows.T @ rows, np.zeros((6, 6))])
    twists = trial_twists(information, 0.01, 5)
    assert np.sqrt(np.mean((rows @ twists[0]) ** 2)) == pytest.approx(0.01)
    np.testing.assert_array_equal(twists[1], 0)
    moved = transform(exp_se3(twists[:1])[0], points)
    assert np.sqrt(np.mean(np.sum((moved - points) * normals, axis=1) ** 2)) < 0.011
