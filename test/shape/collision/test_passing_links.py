"""Where links pass through the hulls of others, and hulls that leave that free."""

import manifold3d
import numpy as np
import pytest
import trimesh

from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.shape.collision.collision_mesh import collision_meshes
from autourdf_ros.shape.collision.convex_parts import convex_parts
from autourdf_ros.shape.collision.passing_links import NO_PASSAGE, passages

NOTHING = Surface(np.empty((0, 3)), np.empty((0, 3)))


def box(lengths, centre):
    return trimesh.creation.box(lengths, trimesh.transformations.translation_matrix(centre))


def hook():
    """A wall with a short nose at its top: its hull hardly stands out, but where one passes."""
    wall = manifold3d.Manifold.cube((0.5, 0.4, 1.0)).translate((0, 0, 0))
    nose = manifold3d.Manifold.cube((0.5, 0.06, 0.06)).translate((0, 0.4, 0.94))
    mesh = (wall + nose).to_mesh64()
    return trimesh.Trimesh(
        np.array(mesh.vert_properties[:, :3]), mesh.tri_verts.astype(int), process=False
    )


def joint(name, parent, child, kind="prismatic", lower=0.0, upper=0.4):
    return Joint(name, kind, parent, child, np.array([0.0, 0, 1]), np.zeros(3), lower, upper)


MESHES = (hook(), None, box((0.1, 0.03, 0.1), (0.25, 0.42, 0.2)))


def sliding(upper=0.4):
    """A lift that slides up and down under the nose, on a carriage that nobody saw."""
    links = tuple(Link(name, NOTHING) for name in ("hook", "carriage", "lift"))
    joints = (joint("a", "hook", "carriage", "fixed"), joint("b", "carriage", "lift", upper=upper))
    return SelfModel.of("sliding", links, joints)


def within(hulls, points, margin=0.0):
    """(N,) whether any of the convex meshes, enlarged by a margin (m), holds a point."""
    beyond = [
        (points @ hull.face_normals.T - (hull.triangles[:, 0] * hull.face_normals).sum(1)).max(1)
        for hull in hulls
    ]
    return np.min(beyond, axis=0) < margin


def test_what_passes_is_in_the_hull_and_not_in_the_mesh():
    of_hook, of_carriage, of_lift = passages(sliding(), MESHES)
    assert of_carriage is NO_PASSAGE or not len(of_carriage.points)
    assert not len(of_lift.points)  # it is convex
    assert within([MESHES[0].convex_hull], of_hook.points).all()
    assert not MESHES[0].contains(of_hook.points).any()
    assert 0.5 < of_hook.weights.sum() <= 1 + 1e-9


def test_configurations_in_which_the_meshes_overlap_show_nothing():
    whole, cut = (passages(sliding(upper), MESHES)[0] for upper in (0.6, 1.0))
    assert whole.points[:, 2].max() < 0.94 and cut.points[:, 2].max() < 0.94
    assert cut.weights.sum() < whole.weights.sum()


def test_neighbours_are_not_checked():
    model = SelfModel.of(
        "two", (Link("hook", NOTHING), Link("lift", NOTHING)), (joint("a", "hook", "lift"),)
    )
    assert not any(len(own.points) for own in passages(model, (MESHES[0], MESHES[2])))


def test_a_hull_is_cut_only_where_something_passes():
    assert len(convex_parts(MESHES[0], 6)) == 1
    passing = passages(sliding(), MESHES)[0]
    hulls = collision_meshes(MESHES[0], 400, passing=passing)
    assert len(hulls) > 1
    assert within([MESHES[0].convex_hull], passing.points).all()
    assert not within(hulls, passing.points).any()
    samples = trimesh.sample.sample_surface(MESHES[0], 2000, seed=0)[0]
    assert within(hulls, samples, 1e-6).all()


def test_the_same_robot_gives_the_same_points():
    one, two = (passages(sliding(), MESHES)[0] for _ in range(2))
    np.testing.assert_array_equal(one.points, two.points)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_parts_of_a_fine_mesh_are_not_blown_up_by_slivers_of_their_hulls(seed):
    """Their normals said that vertices of one part were outside, and nearest to another."""
    solid = manifold3d.Manifold.hull_points(
        np.random.default_rng(seed).normal(size=(40, 3)) * (0.03, 0.03, 0.2)
    )
    bent = (solid + solid.rotate((0, 70, 0)).translate((0.1, 0, 0.1))).refine_to_length(0.006)
    content = bent.to_mesh64()
    mesh = trimesh.Trimesh(
        np.array(content.vert_properties[:, :3]), content.tri_verts.astype(int), process=False
    )
    parts = convex_parts(mesh, 6)
    assert len(parts) > 1
    exact = sum(trimesh.convex.convex_hull(part).volume for part in parts)
    light = sum(hull.volume for hull in collision_meshes(mesh, 4000))
    assert light < 1.05 * exact
