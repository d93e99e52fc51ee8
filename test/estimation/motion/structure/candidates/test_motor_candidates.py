import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_shapes import angle_between, box, cylinder, random_pose, sample

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import (
    round_axes,
    with_motor_links,
)
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import PosedCandidate
from autourdf_ros.geometry.point_cloud import prepare_cloud
from autourdf_ros.geometry.rigid_motion import revolute_twist, transform
from autourdf_ros.geometry.sampling import farthest_point_indices

NOISE, COUNTS = 2e-3, (900, 700, 300)
AXIS, CENTRE = np.array([1.0, 0, 0]), np.array([0.075, 0, 0.3])
ARM = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.21))]


def flange(*, plug):
    """A short cylinder on the arm's side, whose axis is x, with a plug on its rim or without."""
    disc = cylinder(0.06, 0.05)
    disc.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
    disc.apply_translation(CENTRE)
    return trimesh.util.concatenate(
        [disc, box((0.03, 0.03, 0.02), (0.08, 0, 0.365))] if plug else [disc]
    )


def evenly_seen(meshes, poses, seed):
    """Cloud of the meshes moved by poses (B, 4, 4), as evenly thinned as recorded ones; labels."""
    parts = []
    for i, (mesh, pose, count) in enumerate(zip(meshes, poses, COUNTS, strict=True)):
        points = sample(mesh, 5 * count, 10 * seed + i)
        parts.append(transform(pose, points[farthest_point_indices(points, count)]))
    return prepare_cloud(np.concatenate(parts)), np.repeat(np.arange(len(parts)), COUNTS)


def scene(*, plug, slide=None):
    """An arm and its flange, which turns or slides; the model takes it for the end of the arm."""
    rng = np.random.default_rng(3)
    values = np.cumsum(rng.uniform(-0.3, 0.3, (16, 2)), axis=0)
    last = revolute_twist(AXIS, CENTRE)
    if slide is not None:
        last, values[:, 1] = np.array([0, 0, 0, *slide]), rng.uniform(0, 0.05, len(values))
    twists = np.stack([revolute_twist(np.array([0.0, 0, 1]), np.zeros(3)), last])
    anchors, shapes = np.array([[0, 0, 0.05], CENTRE]), [*ARM, flange(plug=plug)]
    true = Articulation(np.array([0, 1]), twists, np.array([True, slide is None]), anchors)
    base = np.tile(np.eye(4), (len(values), 1, 1))
    reference, labels = evenly_seen(shapes, np.tile(np.eye(4), (3, 1, 1)), 0)
    frames = [
        evenly_seen(shapes, poses, 1 + f)[0]
        for f, poses in enumerate(body_poses(true, values, base))
    ]
    known = Articulation(true.parents[:1], twists[:1], true.revolute[:1], anchors[:1])
    taken = np.minimum(labels, 1)
    model = PosedCandidate(known, values[:, :1], base, taken, np.ones(1), np.full(1, 9.0))
    neighbours = neighbour_graph(reference.points, reference.spacing)
    halves = np.array_split(np.arange(len(frames)), 2)
    return FrameSet(reference, frames, neighbours, NOISE, halves), model, labels, values[:, 1]


@pytest.mark.slow
@pytest.mark.parametrize("sense", [1, -1])
def test_a_flange_is_found_by_its_motor(sense):
    frames, model, labels, values = scene(plug=True)
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
    frames, model, _, values = scene(plug=True)
    others = [np.random.default_rng(seed).permutation(values) for seed in range(2)]
    assert with_motor_links(frames, model, np.stack(others, axis=1)) is model


@pytest.mark.slow
def test_what_is_wholly_round_is_taken_for_what_the_motor_turns_about_its_own_axis():
    frames, model, labels, values = scene(plug=False)
    found = with_motor_links(frames, model, values[:, None])
    assert found.model.parents.tolist() == [0, 1]
    assert abs(found.model.twists[1, :3] @ AXIS) > np.cos(0.1)
    np.testing.assert_allclose(found.values[:, 1], values, atol=1e-3)
    assert np.mean(labels[found.labels == 2] == 2) > 0.8


@pytest.mark.slow
def test_a_motor_that_hardly_turned_is_given_no_link_unseen():
    frames, model, _, values = scene(plug=False)
    assert with_motor_links(frames, model, 0.1 * values[:, None]) is model


@pytest.mark.slow
@pytest.mark.parametrize("slide", np.eye(3))
def test_what_slides_is_not_taken_for_something_that_turns_far_away(slide):
    frames, model, _, values = scene(plug=True, slide=slide)
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
