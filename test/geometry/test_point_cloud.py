import numpy as np
import pytest
import trimesh
from sampled_shapes import angle_between, box, sample

from autourdf_ros.geometry.point_cloud import prepare_cloud, prepare_measured_cloud


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


def test_chosen_rough_points_move_towards_the_plane_of_all():
    rough = plane(4000, 0.004)
    chosen = np.arange(0, 4000, 4)
    smooth = prepare_measured_cloud(rough, chosen, np.zeros(len(rough), np.uint8), None)
    inner = (np.abs(rough[chosen, :2]) < 0.4).all(axis=1)
    assert smooth.points[inner, 2].std() < 0.6 * rough[chosen][inner, 2].std()
    assert len(smooth.points) == len(smooth.normals) == len(smooth.flatness) == len(chosen)


def test_normals_of_chosen_points_follow_all_points_around_them():
    ridge = plane(8000, 1e-4)
    ridge[:, 2] += 0.03 * np.abs(ridge[:, 0]) / 0.1 * (np.abs(ridge[:, 0]) < 0.1)
    chosen = np.flatnonzero(np.abs(np.abs(ridge[:, 0]) - 0.05) < 0.01)[::8]
    cloud = prepare_measured_cloud(ridge, chosen, np.zeros(len(ridge), np.uint8), None)
    slope = np.array([0.3, 0.0, -1.0]) / np.hypot(0.3, 1.0)
    mirrored = np.sign(ridge[chosen, :1]) * slope * [1, 0, 0] + slope * [0, 1, 1]
    assert np.median(np.abs(np.einsum("ni,ni->n", cloud.normals, mirrored))) > 0.999


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4])
def test_smoothing_shrinks_a_sphere_alike_whatever_its_noise(share):
    ball = sample(trimesh.creation.icosphere(5, 0.5), 20000, 0, 0.0)
    spacing = prepare_cloud(ball).spacing
    noisy = ball * (1 + np.random.default_rng(1).normal(0, 2 * share * spacing, (len(ball), 1)))
    chosen, cameras = np.arange(0, len(ball), 4), np.zeros(len(ball), np.uint8)
    radii = [
        np.linalg.norm(prepare_measured_cloud(points, chosen, cameras, None).points, axis=1).mean()
        for points in (ball, noisy)
    ]
    assert radii[1] == pytest.approx(radii[0], abs=0.03 * spacing)
    assert radii[0] == pytest.approx(0.5, abs=0.1 * spacing)
