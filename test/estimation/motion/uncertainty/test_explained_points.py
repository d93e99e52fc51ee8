from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.uncertainty.explained_points import (
    FREED,
    large_patches,
    left_when_free,
)
from autourdf_ros.geometry.point_cloud import prepare_cloud

GRID = np.stack(np.meshgrid(np.arange(40.0), np.arange(40.0), [0.0]), -1).reshape(-1, 3)
NEIGHBOURS = neighbour_graph(GRID, 1.0)
LABELS = (GRID[:, 0] >= 20).astype(np.int64)


def costs_with(patch, cost):
    return np.where(patch, cost, 0.5)


def test_a_large_patch_of_unexplained_points_is_found():
    patch = (GRID[:, 0] > 25) & (GRID[:, 1] > 20)
    (patch_found,) = large_patches(costs_with(patch, 4.0), NEIGHBOURS)
    assert abs(len(patch_found) - patch.sum()) < 60


def test_noise_and_small_patches_are_not():
    assert large_patches(np.full(1600, 0.5), NEIGHBOURS) == []
    patch = (GRID[:, 0] > 35) & (GRID[:, 1] > 35)
    assert large_patches(costs_with(patch, 4.0), NEIGHBOURS) == []
    scattered = np.arange(1600) % 7 == 0
    assert large_patches(costs_with(scattered, 4.0), NEIGHBOURS) == []


PATCH = np.flatnonzero((GRID[:, 0] > 10) & (GRID[:, 0] < 30) & (GRID[:, 1] > 10))
MIXED = np.random.default_rng(0).permutation(len(GRID)) % 2 == 0
STILL = SimpleNamespace(
    candidate=SimpleNamespace(labels=np.zeros(len(GRID), dtype=np.int64)),
    fitted=SimpleNamespace(
        frames=np.arange(3),
        adjustment=SimpleNamespace(
            model=Articulation(
                np.empty(0, dtype=np.int64), np.empty((0, 6)), np.empty(0, bool), np.empty((0, 3))
            )
        ),
    ),
)
STATES = States(np.empty((3, 0)), np.tile(np.eye(4), (3, 1, 1)))


def recorded(reference, *heights):
    """The grid in frames in which the patch is higher, but nothing says so."""
    rng, clouds = np.random.default_rng(1), []
    for height in heights:
        points = GRID + rng.normal(0, 0.05, GRID.shape)
        points[PATCH, 2] += height
        clouds.append(prepare_cloud(points))
    return SimpleNamespace(reference=reference, noise=0.05, clouds=lambda _: clouds)


def test_a_patch_that_moves_otherwise_fits_once_it_may():
    problem = recorded(prepare_cloud(GRID), 0.6, 1.0, 1.5)
    assert left_when_free(problem, STILL, STATES, PATCH) < 0.8 * FREED


def test_where_normals_are_chance_a_patch_fits_as_badly_anywhere():
    reference = prepare_cloud(GRID)
    normals = np.where(MIXED[:, None], reference.normals, np.eye(3)[0])
    problem = recorded(replace(reference, normals=normals), 0.0, 0.0, 0.0)
    assert left_when_free(problem, STILL, STATES, PATCH) > 1.2 * FREED
