import numpy as np

from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.uncertainty.explained_points import large_patches

GRID = np.stack(np.meshgrid(np.arange(40.0), np.arange(40.0), [0.0]), -1).reshape(-1, 3)
NEIGHBOURS = neighbour_graph(GRID, 1.0)
LABELS = (GRID[:, 0] >= 20).astype(np.int64)


def costs_with(patch, cost):
    return np.where(patch, cost, 0.5)


def test_a_large_patch_that_moves_otherwise_is_reported_with_its_link():
    patch = (GRID[:, 0] > 25) & (GRID[:, 1] > 20)
    (patch_found,) = large_patches(costs_with(patch, 4.0), LABELS, NEIGHBOURS, ["base", "arm"])
    assert patch_found.link == "arm"
    assert abs(patch_found.points - patch.sum()) < 60
    assert 3.0 < patch_found.cost <= 4.0


def test_noise_and_small_patches_are_not():
    assert large_patches(np.full(1600, 0.5), LABELS, NEIGHBOURS, ["base", "arm"]) == ()
    patch = (GRID[:, 0] > 35) & (GRID[:, 1] > 35)
    assert large_patches(costs_with(patch, 4.0), LABELS, NEIGHBOURS, ["base", "arm"]) == ()
    scattered = np.arange(1600) % 7 == 0
    assert large_patches(costs_with(scattered, 4.0), LABELS, NEIGHBOURS, ["base", "arm"]) == ()
