"""Cuts of a solid into parts that hardly differ from their hulls."""

import manifold3d
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from autourdf_ros.shape.collision.collision_mesh import collision_meshes
from autourdf_ros.shape.collision.convex_parts import convex_parts
from autourdf_ros.shape.collision.passing_links import CONFIGURATIONS, Passage


def volume(points):
    return trimesh.convex.convex_hull(points).volume


def joined(*boxes):
    """The union of boxes (lengths, centre)."""
    whole = manifold3d.Manifold()
    for lengths, centre in boxes:
        whole += manifold3d.Manifold.cube(lengths, True).translate(centre)
    mesh = whole.to_mesh64()
    return trimesh.Trimesh(
        np.array(mesh.vert_properties[:, :3]), mesh.tri_verts.astype(int), process=False
    )


# A forearm: a rod with a motor across either end.
FOREARM = joined(
    ((0.4, 0.04, 0.04), (0, 0, 0)),
    ((0.08, 0.16, 0.08), (-0.2, 0.06, 0)),
    ((0.08, 0.16, 0.08), (0.2, 0.06, 0)),
)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(turn=st.integers(0, 10_000), shift=st.floats(-2, 2), size=st.sampled_from([0.1, 1.0, 5.0]))
def test_a_forearm_is_cut_into_rod_and_motors_however_it_lies(turn, shift, size):
    moved = FOREARM.copy().apply_scale(size)
    moved.apply_transform(
        trimesh.transformations.random_rotation_matrix(np.random.default_rng(turn).random(3))
    )
    moved.apply_translation([shift, -shift, shift / 3])
    assert volume(moved.vertices) > 1.8 * moved.volume
    parts = convex_parts(moved, 6)
    assert 3 <= len(parts) <= 6
    assert sum(map(volume, parts)) < 1.25 * moved.volume


@pytest.mark.parametrize(
    "solid",
    [
        trimesh.creation.box((0.3, 0.05, 0.1)),
        trimesh.creation.icosphere(3, 0.1),
        trimesh.creation.cylinder(0.05, 0.3),
    ],
)
def test_what_is_convex_stays_whole(solid):
    (part,) = convex_parts(solid, 6)
    assert volume(part) == pytest.approx(solid.volume)


def test_a_small_step_is_not_worth_a_cut():
    stepped = joined(((0.1, 0.1, 0.1), (0, 0, 0)), ((0.1, 0.05, 0.01), (0, 0.025, 0.05)))
    assert volume(stepped.vertices) > 1.01 * stepped.volume
    assert len(convex_parts(stepped, 6)) == 1


@settings(max_examples=10, deadline=None)
@given(most=st.integers(1, 8))
def test_parts_are_at_most_as_many_as_allowed_and_hold_the_whole_surface(most):
    parts = convex_parts(FOREARM, most)
    assert len(parts) <= most
    samples = trimesh.sample.sample_surface(FOREARM, 3000, seed=0)[0]
    hulls = [trimesh.convex.convex_hull(part) for part in parts]
    beyond = [
        (samples @ hull.face_normals.T - (hull.triangles[:, 0] * hull.face_normals).sum(1)).max(1)
        for hull in hulls
    ]
    assert np.min(beyond, axis=0).max() < 1e-8


def test_a_mesh_that_is_not_closed_stays_whole():
    cut = FOREARM.copy()
    cut.update_faces(np.arange(len(cut.faces)) > 3)
    (part,) = convex_parts(cut, 6)
    np.testing.assert_array_equal(part, cut.vertices)


def test_a_part_gets_its_share_of_the_triangles():
    meshes = collision_meshes(FOREARM, 400)
    assert len(meshes) > 2
    assert all(mesh.is_convex and mesh.is_watertight for mesh in meshes)
    assert sum(len(mesh.faces) for mesh in meshes) <= 400


def held(parts, points):
    """(N,) whether the hull of any part holds a point."""
    planes = [ConvexHull(part).equations for part in parts]
    return np.any([(points @ own[:, :3].T + own[:, 3] <= 0).all(1) for own in planes], axis=0)


def test_a_false_alarm_weighs_the_same_until_none_of_its_points_is_left():
    """All of its points but one are spared by the first cut, and the last by the second."""
    bracket = joined(
        ((0.5, 0.4, 1.0), (0, 0, 0)),
        ((0.5, 0.06, 0.06), (0, 0.23, 0.47)),
        ((0.5, 0.06, 0.06), (0, 0.23, -0.47)),
    )
    above = np.meshgrid(np.linspace(-0.2, 0.2, 6), 0.22, np.linspace(0.2, 0.3, 10))
    one_alarm = np.stack(above, axis=-1).reshape(-1, 3)
    one_alarm = np.vstack([one_alarm, (0, 0.22, -0.3)])
    passing = Passage(np.tile(one_alarm, (30, 1)), np.repeat(np.arange(30), len(one_alarm)))
    assert held([bracket.vertices], passing.points).all()
    assert passing.weights.sum() == pytest.approx(30 / CONFIGURATIONS)
    parts = convex_parts(bracket, 6, passing)
    assert not held(parts, passing.points).any()


@pytest.mark.parametrize("seed", [0, 1, 6])  # whose hulls have such slivers
def test_what_passes_a_finely_meshed_bend_is_seen_inside_its_hull(seed):
    """Slivers of the hulls, with normals that said anything, had put all of it outside."""
    rng = np.random.default_rng(seed)
    rod = manifold3d.Manifold.hull_points(rng.normal(size=(60, 3)) * (0.03, 0.03, 0.2))
    bent = rod + rod.rotate((0, 70, 0)).translate((0.1, 0, 0.1))
    content = bent.refine_to_length(0.006).to_mesh64()
    mesh = trimesh.Trimesh(
        np.array(content.vert_properties[:, :3]), content.tri_verts.astype(int), process=False
    )
    points = rng.uniform(*mesh.bounds, (4000, 3))
    points = points[held([mesh.vertices], points)]
    distances = trimesh.proximity.ProximityQuery(mesh).signed_distance(points)
    points = points[distances < -0.02]
    passing = Passage(points, np.arange(len(points)) % 100)
    parts = convex_parts(mesh, 6, passing)
    assert held(parts, points).mean() < 0.01
