"""Primitives contain their mesh and are not larger than they must be."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.geometry.enclosing_shapes import Box, Cylinder, Sphere, enclosing

TURN = trimesh.transformations.euler_matrix(0.4, -0.7, 1.1)
TURN[:3, 3] = 0.3, -0.2, 0.5
EXACT = {
    "box": trimesh.creation.box((0.1, 0.2, 0.4)),
    "cylinder": trimesh.creation.cylinder(0.05, 0.4, sections=64),
    "capsule": trimesh.creation.capsule(0.3, 0.05, count=[64, 64]),
    "sphere": trimesh.creation.icosphere(4, 0.1),
}


def outside(shape, points):
    """How far (m) points (N, 3) lie outside a primitive, at most zero inside."""
    own = (points - shape.pose[:3, 3]) @ shape.pose[:3, :3]
    if isinstance(shape, Box):
        return (np.abs(own) - shape.size / 2).max(1)
    if isinstance(shape, Sphere):
        return np.linalg.norm(own, axis=1) - shape.radius
    across = np.linalg.norm(own[:, :2], axis=1) - shape.radius
    return np.maximum(across, np.abs(own[:, 2]) - shape.length / 2)


def volume(kind, shapes):
    first = shapes[0]
    if kind == "box":
        return np.prod(first.size)
    long = np.pi * first.radius**2 * first.length if isinstance(first, Cylinder) else 0.0
    return long + (0 if kind == "cylinder" else 4 / 3 * np.pi * first.radius**3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXACT)
def test_a_body_that_is_one_is_found_as_it_is(kind):
    mesh = EXACT[kind].copy().apply_transform(TURN)
    shapes = enclosing(mesh, kind)
    assert volume(kind, shapes) == pytest.approx(mesh.volume, rel=0.03)
    assert len(shapes) == (3 if kind == "capsule" else 1)
    assert np.mean([shape.pose[:3, 3] for shape in shapes], axis=0) == pytest.approx(
        TURN[:3, 3], abs=2e-3
    )


@settings(max_examples=15, deadline=None)
@given(
    kind=st.sampled_from(sorted(EXACT)),
    stretch=st.tuples(*[st.sampled_from([1e-3, 0.1, 1.0])] * 3),
    seed=st.integers(0, 1000),
)
def test_every_vertex_is_inside(kind, stretch, seed):
    points = np.random.default_rng(seed).normal(size=(30, 3)) * stretch
    mesh = trimesh.convex.convex_hull(points)
    shapes = enclosing(mesh, kind)
    assert np.min([outside(shape, mesh.vertices) for shape in shapes], axis=0).max() < 1e-7
    for shape in shapes:
        np.testing.assert_allclose(shape.pose[:3, :3] @ shape.pose[:3, :3].T, np.eye(3), atol=1e-9)
        assert np.linalg.det(shape.pose[:3, :3]) == pytest.approx(1)


def test_a_capsule_around_what_is_short_is_one_ball():
    (ball,) = enclosing(trimesh.creation.cylinder(0.1, 0.02), "capsule")
    assert isinstance(ball, Sphere) and ball.radius < 0.103


def test_a_mesh_is_no_primitive():
    with pytest.raises(ValueError, match="mesh is no primitive"):
        enclosing(EXACT["box"], "mesh")
