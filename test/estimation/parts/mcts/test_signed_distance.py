"""Signed distances of closed meshes, shells and overlapping bodies, and their gradients."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.parts.part_assembly import Part
from autourdf_ros.estimation.parts.mcts.signed_distance import SignedDistance
from autourdf_ros.estimation.parts.mcts.winding_number import build_winding_tree

BOX = np.array([1.0, 0.6, 0.4])


def part_of(mesh):
    return Part("part", np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64))


def box_distance(points):
    beyond = np.abs(points) - BOX / 2
    return np.linalg.norm(np.maximum(0, beyond), axis=1) + np.minimum(0, beyond.max(axis=1))


def opened(mesh):
    """The mesh without one of its triangles."""
    return trimesh.Trimesh(mesh.vertices, mesh.faces[1:], process=False)


def both(mesh):
    """The mesh and a copy that it overlaps with, as one part."""
    return trimesh.util.concatenate([mesh, trimesh.creation.box([0.2, 0.2, 0.2])])


@pytest.fixture
def box():
    return trimesh.creation.box(BOX).subdivide().subdivide()


def queries():
    return np.random.default_rng(0).uniform(-1, 1, (400, 3)) * [0.8, 0.6, 0.5]


@pytest.mark.parametrize("change", [lambda mesh: mesh, opened])
def test_the_distance_to_a_box(box, change):
    field = SignedDistance(part_of(change(box)))
    points = queries()
    exact = box_distance(points)
    # the missing triangle moves the surface near it; the sign stays
    away = np.linalg.norm(points - box.triangles_center[0], axis=1) > 0.4
    np.testing.assert_allclose(field.values(points)[away], exact[away], atol=1e-6)
    np.testing.assert_array_equal(np.sign(field.values(points)[away]), np.sign(exact[away]))


def test_inside_two_overlapping_bodies_is_inside(box):
    field = SignedDistance(part_of(both(box)))
    assert not field.closed
    assert field.values(np.array([[0.03, 0.02, 0.01]]))[0] < 0


def test_values_and_gradients_agree(box):
    field, points = SignedDistance(part_of(box)), queries()
    distances, gradients = field.with_gradients(points)
    np.testing.assert_allclose(distances, field.values(points), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(gradients, axis=1), 1, atol=1e-5)
    step = 1e-3
    ahead, behind = (field.values(points + sign * step * gradients) for sign in (1, -1))
    regular = np.abs(ahead - behind - 2 * step) < 1e-4
    assert regular.mean() > 0.95  # all but points next to the medial axis


def test_on_the_surface_the_gradient_is_the_normal(box):
    gradients = SignedDistance(part_of(box)).with_gradients(np.array([[0.5, 0.05, 0.03]]))[1]
    np.testing.assert_allclose(gradients, [[1, 0, 0]], atol=1e-6)


def test_the_nearest_point(box):
    nearest = SignedDistance(part_of(box)).nearest(np.array([[0.9, 0.1, 0.1]]))
    np.testing.assert_allclose(nearest, [[0.5, 0.1, 0.1]], atol=1e-6)


def test_signs_do_not_depend_on_what_was_asked_before(box):
    points = queries()
    fields = [SignedDistance(part_of(opened(box))) for _ in range(2)]
    fields[0].values(points[::-1])
    np.testing.assert_array_equal(fields[0].values(points), fields[1].values(points))


def test_far_triangles_as_dipoles_keep_the_winding_number():
    ball = trimesh.creation.icosphere(4)
    points = np.random.default_rng(0).uniform(-1.2, 1.2, (300, 3))
    lengths = np.linalg.norm(points, axis=1)
    clear = np.abs(lengths - 1) > 0.02
    winding = build_winding_tree(ball.vertices, ball.faces).winding(points)
    np.testing.assert_allclose(winding[clear], (lengths < 1)[clear], atol=0.1)
