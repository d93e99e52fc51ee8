import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree
from shapes import angle_between, box, sample

from autourdf_ros.kinematics.cloud import measure_noise, prepare_cloud, prepare_rough_cloud


def plane(count, noise, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-0.5, 0.5, (count, 2)), rng.normal(0, noise, count)])


def test_normals_of_a_plane():
    cloud = prepare_cloud(plane(2000, 2e-4))
    assert (np.abs(cloud.normals[:, 2]) > 0.99).mean() > 0.99
    assert np.median(cloud.flatness) > 0.99
    np.testing.assert_allclose(np.linalg.norm(cloud.normals, axis=1), 1)


def test_normals_of_a_sphere_point_along_its_radius():
    points = sample(trimesh.creation.icosphere(4, 0.5), 4000, 0, 1e-4)
    cloud = prepare_cloud(points)
    angles = [angle_between(n, p) for n, p in zip(cloud.normals, points, strict=True)]
    assert np.median(angles) < np.radians(2)
    assert np.quantile(angles, 0.99) < np.radians(10)


def test_flatness_is_small_at_corners():
    points = sample(box((0.2, 0.2, 0.2)), 4000, 0, 1e-4)
    cloud = prepare_cloud(points)
    corner = (np.abs(points) > 0.09).all(axis=1)
    middle = (np.abs(points) < 0.07).sum(axis=1) == 2
    assert cloud.flatness[corner].mean() < cloud.flatness[middle].mean() - 0.2


def test_spacing_is_the_grids():
    grid = np.stack(np.meshgrid(np.arange(20), np.arange(20), [0]), -1).reshape(-1, 3) * 0.01
    assert prepare_cloud(grid).spacing == pytest.approx(0.01)


@pytest.mark.parametrize("noise", [1e-3, 4e-3])
def test_measures_the_noise_of_a_plane_and_of_a_sphere(noise):
    flat = plane(6000, noise)
    assert measure_noise(flat, cKDTree(flat)) == pytest.approx(noise, rel=0.3)
    ball = sample(trimesh.creation.icosphere(5, 0.5), 6000, 0, 0.0)
    ball *= 1 + np.random.default_rng(0).normal(0, noise / 0.5, (len(ball), 1))
    assert measure_noise(ball, cKDTree(ball)) == pytest.approx(noise, rel=0.35)


def test_a_clean_sphere_has_no_noise():
    directions = np.random.default_rng(0).normal(size=(6000, 3))
    ball = 0.5 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    assert measure_noise(ball, cKDTree(ball)) < 1e-4


def test_too_few_points_for_a_quadric_have_no_noise():
    points = np.random.default_rng(0).normal(size=(6, 3))
    assert measure_noise(points, cKDTree(points)) == 0.0


def test_chosen_rough_points_move_towards_the_plane_of_all():
    rough = plane(4000, 0.012)
    chosen = np.arange(0, 4000, 4)
    smooth = prepare_rough_cloud(rough, chosen, np.zeros(len(rough), np.uint8), None)
    inner = (np.abs(rough[chosen, :2]) < 0.4).all(axis=1)
    assert smooth.points[inner, 2].std() < 0.6 * rough[chosen][inner, 2].std()
    assert len(smooth.points) == len(smooth.normals) == len(smooth.flatness) == len(chosen)


def test_normals_of_chosen_points_follow_all_points_around_them():
    ridge = plane(8000, 1e-4)
    ridge[:, 2] += 0.03 * np.abs(ridge[:, 0]) / 0.1 * (np.abs(ridge[:, 0]) < 0.1)
    chosen = np.flatnonzero(np.abs(np.abs(ridge[:, 0]) - 0.05) < 0.01)[::8]
    cloud = prepare_rough_cloud(ridge, chosen, np.zeros(len(ridge), np.uint8), None)
    slope = np.array([0.3, 0.0, -1.0]) / np.hypot(0.3, 1.0)
    mirrored = np.sign(ridge[chosen, :1]) * slope * [1, 0, 0] + slope * [0, 1, 1]
    assert np.median(np.abs(np.einsum("ni,ni->n", cloud.normals, mirrored))) > 0.999


def test_smoothing_leaves_fine_points_where_they_are():
    fine = plane(2000, 1e-4)
    chosen = np.arange(0, 2000, 2)
    np.testing.assert_array_equal(
        prepare_rough_cloud(fine, chosen, np.zeros(len(fine), np.uint8), None).points, fine[chosen]
    )
