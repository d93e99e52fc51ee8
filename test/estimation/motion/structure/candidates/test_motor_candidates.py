import numpy as np
import pytest
from flange_scene import AXIS, CENTRE, flange_scene
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_shapes import angle_between, cylinder, random_pose, sample

from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import (
    round_axes,
    with_motor_links,
)
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.geometry.sampling import farthest_point_indices


@pytest.mark.slow
@pytest.mark.parametrize("sense", [1, -1])
def test_a_flange_is_found_by_its_motor(sense):
    frames, model, labels, values = flange_scene(plug=True)
    found = with_motor_links(frames, model, sense * values[:, None])
    assert found.model.parents.tolist() == [0, 1]
    assert found.model.revolute.all()
    twist = sense * found.model.twists[1]
    assert twist[:3] @ AXIS > np.cos(0.05)
    off = np.cross(AXIS, twist[3:] - np.cross(CENTRE, AXIS))
    assert np.linalg.norm(off) < 0.01
    np.testing.assert_allclose(found.values[:, 1], sense * values, atol=0.05)
    assert np.mean(labels[found.labels == 2] == 2) > 0.8


@pytest.mark.slow
def test_the_readings_of_other_motors_find_nothing():
    frames, model, _, values = flange_scene(plug=True)
    others = [np.random.default_rng(seed).permutation(values) for seed in range(2)]
    assert with_motor_links(frames, model, np.stack(others, axis=1)) is model


@pytest.mark.slow
def test_what_is_wholly_round_is_taken_for_what_the_motor_turns_about_its_own_axis():
    frames, model, labels, values = flange_scene(plug=False)
    found = with_motor_links(frames, model, values[:, None])
    assert found.model.parents.tolist() == [0, 1]
    assert abs(found.model.twists[1, :3] @ AXIS) > np.cos(0.1)
    np.testing.assert_allclose(found.values[:, 1], values, atol=1e-3)
    assert np.mean(labels[found.labels == 2] == 2) > 0.75


@pytest.mark.slow
def test_a_motor_that_hardly_turned_is_given_no_link_unseen():
    frames, model, _, values = flange_scene(plug=False)
    assert with_motor_links(frames, model, 0.1 * values[:, None]) is model


@pytest.mark.slow
@pytest.mark.parametrize("slide", np.eye(3))
def test_what_slides_is_not_taken_for_something_that_turns_far_away(slide):
    frames, model, _, values = flange_scene(plug=True, slide=slide)
    assert with_motor_links(frames, model, values[:, None]) is model


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_axis_of_a_cylinder_is_among_those_of_its_surface(seed):
    pose = random_pose(seed)
    points = sample(cylinder(0.05, 0.1), 3000, seed % 1000)
    points = points[farthest_point_indices(points, 600)]
    cloud = prepare_cloud(transform(pose, points))
    directions, places = round_axes(cloud.points, cloud.normals, cloud.spacing)
    angles = [angle_between(direction, pose[:3, 2]) for direction in directions]
    offsets = np.linalg.norm(np.cross(places - pose[:3, 3], pose[:3, 2]), axis=1)
    assert ((np.array(angles) < 0.1) & (offsets < 0.01)).any()
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
