"""Meshes of links: closed, near the points, and never an exception."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_robot import sampled

from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.shape.collision.collision_mesh import light_hull
from autourdf_ros.shape.visual.closed_mesh import closed_mesh

TUBE = trimesh.creation.annulus(0.05, 0.08, 0.04)


def seen_from(surface, direction):
    """The part of a surface that a camera in `direction` would see."""
    kept = surface.normals @ direction > -0.2
    return Surface(surface.points[kept], surface.normals[kept])


@pytest.mark.slow
@pytest.mark.parametrize("count", [500, 20000])
def test_a_noisy_cloud_gives_its_solid(count):
    mesh = closed_mesh(sampled(TUBE, count, 0, noise=0.001))
    assert mesh.is_watertight and mesh.is_winding_consistent
    assert len(mesh.faces) <= 4000
    assert mesh.volume == pytest.approx(TUBE.volume, rel=0.06)
    assert mesh.euler_number == 0  # one hole


@pytest.mark.slow
def test_what_no_camera_saw_is_closed_flat_and_does_not_balloon():
    capsule = trimesh.creation.capsule(0.3, 0.05)
    half = seen_from(sampled(capsule, 3000, 1, noise=0.0005), np.array([0, 0, 1.0]))
    mesh = closed_mesh(half)
    assert mesh.is_watertight
    np.testing.assert_allclose(mesh.bounds, [*half.points.min(0)[None], *half.points.max(0)[None]],
                               atol=0.005)  # fmt: skip


@pytest.mark.slow
def test_a_flat_cloud_gets_a_thin_solid():
    plate = trimesh.creation.box((0.2, 0.1, 1e-6))
    mesh = closed_mesh(sampled(plate, 400, 2, noise=0))
    assert mesh.is_watertight
    assert mesh.extents[2] < 0.02


@pytest.mark.slow
def test_contradicting_normals_fall_back_to_the_hull():
    surface = sampled(TUBE, 800, 3)
    signs = np.random.default_rng(0).choice([-1, 1], 800)[:, None]
    mesh = closed_mesh(Surface(surface.points, surface.normals * signs))
    assert mesh.is_watertight
    np.testing.assert_allclose(mesh.extents, TUBE.extents, atol=0.012)


def test_far_strays_and_nans_are_left_out():
    surface = sampled(TUBE, 800, 4)
    points = np.vstack([surface.points, [[2.0, 2, 2], [np.nan, 0, 0]]])
    mesh = closed_mesh(Surface(points, np.vstack([surface.normals, np.eye(3)[:2]])))
    np.testing.assert_allclose(mesh.extents, TUBE.extents, atol=0.012)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(0, 80),
    rank=st.integers(0, 3),
    scale=st.sampled_from([1e-3, 1.0, 50.0]),
    seed=st.integers(0, 1000),
)
def test_any_few_points_give_a_closed_mesh_or_none(count, rank, scale, seed):
    random = np.random.default_rng(seed)
    points = scale * random.normal(size=(count, 3)) * (np.arange(3) < rank)
    normals = random.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mesh = closed_mesh(Surface(points, normals))
    assert (mesh is None) == (count == 0)
    if mesh is not None:
        assert mesh.is_watertight and mesh.volume > 0
        hull = light_hull(np.asarray(mesh.vertices), 240)
        assert hull.is_watertight and len(hull.faces) <= 240
