"""Where joints hold their links, though the model's points are anywhere on the axes."""

import numpy as np
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.monitoring.observing.joint_places import joint_places


def box(size, middle):
    placed = trimesh.transformations.translation_matrix(middle)
    return trimesh.creation.box(size, transform=placed)


NEAR = 0.02  # m
PILLAR = box((0.1, 0.1, 0.5), (0, 0, 0.25))
ARM = box((0.6, 0.08, 0.1), (0.3, 0, 0.555))


def articulation(along, revolute=True):
    """An arm that turns about z on a pillar; the model's point is somewhere along the axis."""
    axis = np.array([[0.0, 0.0, 1.0]])
    points = np.array([[0.0, 0.0, along]])
    twists = revolute_twist(axis, points) if revolute else np.concatenate([0 * axis, axis], axis=1)
    return Articulation(np.array([0]), twists, np.array([revolute]), points)


@settings(max_examples=10)
@given(st.floats(-5.0, 5.0))
def test_place_is_where_the_links_meet_whatever_point_the_model_has(along):
    place = joint_places(articulation(along), [PILLAR, ARM], NEAR)[0]
    np.testing.assert_allclose(place, [0, 0, 0.5], atol=0.02)
    np.testing.assert_allclose(place[:2], 0.0, atol=1e-9)  # on the axis


def test_slide_is_held_where_the_links_meet():
    place = joint_places(articulation(3.0, revolute=False), [PILLAR, ARM], NEAR)[0]
    assert (np.abs(place - [0, 0, 0.5]) < [0.05, 0.05, 0.02]).all()  # on the pillar's end


def test_without_a_surface_the_models_point_is_kept():
    for meshes in ([None, ARM], [PILLAR, None], [PILLAR, trimesh.Trimesh()]):
        np.testing.assert_allclose(joint_places(articulation(0.7), meshes, NEAR)[0], [0, 0, 0.7])
