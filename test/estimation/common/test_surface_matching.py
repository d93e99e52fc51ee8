import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampled_shapes import box, cylinder, random_twists, sample

from autourdf_ros.estimation.common.normal_equations import normal_equations, point_information
from autourdf_ros.estimation.common.surface_matching import Matches, geman_mcclure, match
from autourdf_ros.estimation.common.visibility import (
    VISIBLE,
    least_visible_share,
    visible_information,
    visible_share,
)
from autourdf_ros.geometry.arrays import group_sum
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, from_translation, transform


def random_matches(count=40, groups=3, seed=0):
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    matches = Matches(
        np.arange(count),
        np.arange(count),
        rng.normal(size=(count, 3)),
        normals,
        rng.normal(size=(count, 3)),
        rng.uniform(0.1, 1, count),
    )
    return matches, rng.integers(0, groups, count), rng.normal(size=(groups, 3))


def residuals(matches, groups, centres, twists, point_share):
    """Weighted residuals after every group's twist about its centre; all brute force."""
    about = from_translation(centres) @ exp_se3(twists) @ from_translation(-centres)
    moved = transform(about[groups], matches.moved)
    left = matches.moved + matches.offsets - moved
    plane = np.einsum("mi,mi->m", matches.normals, left)
    root = np.sqrt(matches.weights)
    return np.concatenate([root * plane, np.sqrt(point_share) * (root[:, None] * left).ravel()])


@pytest.mark.parametrize("point_share", [0.0, 0.3])
def test_normal_equations_are_those_of_the_brute_force_jacobian(point_share):
    matches, groups, centres = random_matches()
    information, gradient = normal_equations(matches, groups, centres, point_weight=point_share)
    step = 1e-6
    base = residuals(matches, groups, centres, np.zeros((3, 6)), point_share)
    for group in range(3):
        columns = []
        for axis in range(6):
            twists = np.zeros((3, 6))
            twists[group, axis] = step
            ahead = residuals(matches, groups, centres, twists, point_share)
            behind = residuals(matches, groups, centres, -twists, point_share)
            columns.append((ahead - behind) / (2 * step))
        jacobian = np.stack(columns, axis=1)
        np.testing.assert_allclose(information[group], jacobian.T @ jacobian, atol=1e-6)
        np.testing.assert_allclose(gradient[group], -jacobian.T @ base, atol=1e-6)


def test_point_information_is_what_three_orthogonal_planes_show():
    matches, groups, centres = random_matches(seed=3)
    total = np.zeros((3, 6, 6))
    for axis in np.eye(3):
        planes = np.broadcast_to(axis, matches.moved.shape)
        seen = Matches(
            matches.source, matches.target, matches.moved, planes, matches.offsets, matches.weights
        )
        total += normal_equations(seen, groups, centres)[0]
    np.testing.assert_allclose(point_information(matches, groups, centres), total, atol=1e-9)


def information_of(mesh, noise):
    cloud = prepare_cloud(sample(mesh, 3000, 1, noise))
    other = prepare_cloud(sample(mesh, 3000, 2, noise))
    matches = match(cloud.points, cloud.normals, cloud.flatness, other, gate=0.05, kernel=0.02)
    groups, centre = np.zeros(len(matches.source), dtype=np.int64), np.zeros((1, 3))
    plane, _ = normal_equations(matches, groups, centre)
    return plane[0], point_information(matches, groups, centre)[0]


def test_visible_information_removes_a_cylinders_spin():
    plane, point = information_of(cylinder(), 1e-3)
    visible = visible_information(plane, point)
    spin, tilt = 2, 0
    assert plane[spin, spin] > 0  # noise in the normals feigns some
    assert visible[spin, spin] < 0.1 * plane[spin, spin]
    assert visible[spin, spin] < 1e-3 * point[spin, spin]
    assert visible[tilt, tilt] > 0.7 * plane[tilt, tilt]


def test_visible_information_keeps_what_a_box_shows():
    plane, point = information_of(box((0.3, 0.2, 0.4)), 5e-4)
    visible = visible_information(plane, point)
    assert (np.diag(visible) > 0.7 * np.diag(plane)).all()
    assert (np.linalg.eigvalsh(plane - visible) > -1e-6 * np.trace(plane)).all()


def test_match_finds_the_moved_points_again():
    cloud = prepare_cloud(sample(box((0.3, 0.2, 0.4)), 2000, 1, 0.0))
    shift = np.array([0.001, -0.0005, 0.0007])
    moved = cloud.points + shift
    for directions in ("both", "forward", "backward"):
        matches = match(
            moved,
            cloud.normals,
            cloud.flatness,
            cloud,
            gate=0.05,
            kernel=0.01,
            directions=directions,
        )
        assert (matches.source == matches.target).mean() > 0.95
        coupled = matches.source == matches.target
        np.testing.assert_allclose(matches.offsets[coupled], np.tile(-shift, (coupled.sum(), 1)))
        assert len(matches.source) == len(cloud.points) * (2 if directions == "both" else 1)


def test_nothing_matches_beyond_the_gate():
    cloud = prepare_cloud(sample(box((0.3, 0.2, 0.4)), 500, 1))
    far = cloud.points + 1.0
    matches = match(far, cloud.normals, cloud.flatness, cloud, gate=0.1, kernel=0.05)
    assert len(matches.weights) == 0
    groups = np.zeros(0, dtype=np.int64)
    information, gradient = normal_equations(matches, groups, np.zeros((2, 3)))
    assert not information.any() and not gradient.any()


def test_kernel_is_one_at_zero_and_a_quarter_at_its_width():
    np.testing.assert_allclose(geman_mcclure(np.array([0.0, 0.2]), 0.2), [1, 0.25])


@given(st.integers(0, 30), st.integers(1, 6), st.integers(0, 1000))
def test_group_sum_adds_as_a_loop_would(rows, count, seed):
    rng = np.random.default_rng(seed)
    values, groups = rng.normal(size=(rows, 2, 3)), rng.integers(0, count, rows)
    expected = np.zeros((count, 2, 3))
    np.add.at(expected, groups, values)
    np.testing.assert_allclose(group_sum(values, groups, count), expected, atol=1e-12)


def test_a_step_of_the_equations_lays_a_box_on_itself():
    cloud = prepare_cloud(sample(box((0.3, 0.2, 0.4)), 3000, 1))
    twist = random_twists(np.random.default_rng(0), size=0.003)
    pose = exp_se3(twist)
    for _ in range(5):
        moved, turned = transform(pose, cloud.points), cloud.normals @ pose[:3, :3].T
        matches = match(moved, turned, cloud.flatness, cloud, gate=0.03, kernel=0.01)
        groups = np.zeros(len(matches.source), dtype=np.int64)
        information, gradient = normal_equations(matches, groups, np.zeros((1, 3)))
        pose = exp_se3(np.linalg.solve(information[0], gradient[0])) @ pose
    assert np.abs(pose - np.eye(4)).max() < 1e-4


def test_a_cylinder_shows_no_spin_but_a_box_does():
    spin, slide = np.eye(6)[2], np.eye(6)[5]
    for mesh, shown in ((cylinder(), False), (box((0.1, 0.2, 0.5)), True)):
        cloud = prepare_cloud(sample(mesh, 4000, 0))
        side = np.abs(cloud.points[:, 2]) < 0.2
        points, normals = cloud.points[side], cloud.normals[side]
        assert (visible_share(points, normals, spin) > VISIBLE) == shown
        assert visible_share(points, normals, slide) < VISIBLE
        assert visible_share(points, normals, np.eye(6)[3]) > 0.2


def test_a_cylinder_and_a_profile_hide_a_motion_that_a_box_shows():
    for mesh, hides in ((cylinder(), True), (box((0.1, 0.2, 0.3)), False)):
        cloud = prepare_cloud(sample(mesh, 3000, 0))
        away = cloud.points + np.array([3.0, -1.0, 2.0])
        for points in (cloud.points, away, 10 * away):
            assert (least_visible_share(points, cloud.normals) < VISIBLE) == hides
    sides = sample(box((0.1, 0.2, 0.6)), 4000, 0)
    cloud = prepare_cloud(sides[np.abs(sides[:, 2]) < 0.2])
    assert least_visible_share(cloud.points, cloud.normals) < VISIBLE
