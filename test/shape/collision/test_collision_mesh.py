"""Collision meshes: convex, light, and around the visual mesh."""

import sys

import manifold3d
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.errors import InputError
from autourdf_ros.shape.collision import collision_mesh
from autourdf_ros.shape.collision.collision_mesh import (
    LEAST,
    TOLERANCE,
    check_collision_kind,
    collision_meshes,
    light_hull,
)


def beyond(hull, points):
    """(N,) metres by which points stand out of a convex mesh."""
    normals = hull.face_normals
    return (points @ normals.T - (hull.triangles[:, 0] * normals).sum(1)).max(1)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(4, 400),
    lengths=st.tuples(*[st.sampled_from([0.002, 0.05, 0.4])] * 3),
    triangles=st.integers(LEAST, 600),
    seed=st.integers(0, 1000),
)
def test_a_light_hull_is_convex_within_its_triangles_and_holds_every_point(
    count, lengths, triangles, seed
):
    random = np.random.default_rng(seed)
    directions = random.normal(size=(count, 3))
    points = directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths
    hull = light_hull(points, triangles)
    assert hull.is_watertight and len(hull.faces) <= triangles
    assert beyond(hull, hull.vertices).max() < 1e-9
    assert beyond(hull, points).max() < 1e-8


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    lengths=st.tuples(*[st.sampled_from([0.01, 0.05, 0.4])] * 3),
    seed=st.integers(0, 1000),
)
def test_with_enough_triangles_a_light_hull_stands_out_by_no_more_than_the_tolerance(lengths, seed):
    random = np.random.default_rng(seed)
    directions = random.normal(size=(600, 3))
    points = directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths
    exact = trimesh.convex.convex_hull(points)
    hull = light_hull(points, 2000)
    outside = trimesh.proximity.closest_point(exact, hull.vertices)[1]
    assert outside.max() <= TOLERANCE


def test_a_long_plate_is_not_blown_up():
    plate = trimesh.creation.box((0.4, 0.1, 0.005)).subdivide().subdivide()
    hull = light_hull(np.asarray(plate.vertices), 100)
    np.testing.assert_allclose(hull.extents, plate.extents, atol=2e-9)


@pytest.fixture(scope="module")
def angle():
    """An L whose hull is twice as large as itself."""
    solid = manifold3d.Manifold.cube((0.2, 0.04, 0.04)) + manifold3d.Manifold.cube(
        (0.04, 0.2, 0.04)
    )
    mesh = solid.to_mesh64()
    return trimesh.Trimesh(
        np.array(mesh.vert_properties[:, :3]), mesh.tri_verts.astype(int), process=False
    )


@pytest.mark.parametrize("kind", ["auto", "coacd"])
def test_parts_follow_a_hollow_that_a_hull_fills(angle, kind):
    (hull,) = collision_meshes(angle, 500, "hull")
    parts = collision_meshes(angle, 500, kind)
    assert hull.volume > 1.5 * angle.volume
    assert len(parts) >= 2 and sum(part.volume for part in parts) < 1.2 * angle.volume
    assert sum(len(part.faces) for part in parts) <= 500
    outside = np.min([beyond(part, angle.vertices) for part in parts], axis=0)
    assert outside.max() < 1e-8


@pytest.mark.parametrize("kind", ["auto", "coacd"])
def test_there_are_no_more_parts_than_there_are_triangles_for(angle, kind):
    (part,) = collision_meshes(angle, LEAST, kind)
    assert len(part.faces) <= LEAST
    assert beyond(part, angle.vertices).max() < 1e-8


def test_without_coacd_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    check_collision_kind("hull")
    with pytest.raises(InputError, match=r"coacd is not installed; install autourdf_ros\[coacd\]"):
        check_collision_kind("coacd")


def test_another_kind_is_refused():
    with pytest.raises(InputError, match="collision 'boxes': accepted is auto, hull, coacd"):
        check_collision_kind("boxes")


def test_points_are_compared_with_many_planes_in_blocks(monkeypatch):
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.1)
    whole = collision_meshes(mesh, 400)
    monkeypatch.setattr(collision_mesh, "_BLOCK", 1000)  # three points at a time
    for one, other in zip(whole, collision_meshes(mesh, 400), strict=True):
        assert np.array_equal(one.vertices, other.vertices)


def test_a_hull_with_slivers_is_no_larger_than_its_points():
    """The normal of a face without width says nothing: once the hull grew to 39 times its size."""
    vertices = np.array(
        [
            [-0.010925895569429467, -0.04160572879096494, 0.034264311109297146],
            [-0.00428688902469343, -0.04866767954174002, 0.03573330920914444],
            [-0.010611305333851462, -0.03387333931664445, 0.035503842142883185],
            [-0.037770357572115, -0.009816382129209628, 0.0007137226117278628],
            [-0.03753035091996648, -0.010478437469558143, 0.0028282549329191886],
            [-0.03457859582073381, -0.009628616904616173, 0.013655745899456227],
            [-0.037349060276700874, -0.008630295281755445, 0.0032316954180216335],
            [-0.003731217198113087, -0.00787347597175951, 0.03683302291229479],
            [0.005402635903086428, -0.04366875701573934, -0.03619751538503002],
            [0.03029486204315457, -0.0478394712099346, -0.021509235841550844],
            [0.03372500601764383, -0.05190244719488894, -0.01475275318513286],
            [0.03515668621484391, -0.05256279242929458, 0.009698576274494247],
            [0.002599757602910358, 0.00498673757901286, -0.048621904632187664],
            [0.029504973072021053, 0.005694839757156502, -0.02246892471472375],
            [-8.842888579352337e-05, -0.016274022533839035, 0.03732809022998543],
            [0.0033845392938207843, -0.006729776532346095, 0.03684737628477021],
            [0.0038589144786719473, -0.006655690375125433, 0.03686391520255943],
            [0.037133312563136046, 0.0038106359895902983, -6.764266750062717e-06],
            [0.03326192779927752, 0.0009230962069312339, 0.01633396736901881],
        ]
    )
    exact = trimesh.convex.convex_hull(vertices)
    for triangles in (48, 356):
        assert light_hull(vertices, triangles).volume < 1.05 * exact.volume
