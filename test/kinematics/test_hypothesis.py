from dataclasses import replace

import numpy as np
import pytest
import trimesh
from shapes import box, merged_cloud

from autourdf_ros.kinematics.adjustment import Adjustment, States
from autourdf_ros.kinematics.articulation import Articulation, body_poses
from autourdf_ros.kinematics.deformation_graph import neighbour_graph
from autourdf_ros.kinematics.hypothesis import Hypothesis, relabelled, with_middle_links
from autourdf_ros.kinematics.labelling import refit_bodies
from autourdf_ros.kinematics.merging import Noise
from autourdf_ros.kinematics.rigid_motion import from_translation, revolute_twist
from autourdf_ros.kinematics.segmentation import Segmentation
from autourdf_ros.kinematics.surface import surface_of
from autourdf_ros.kinematics.topology import KinematicTree, MotorFits, build_tree, motor_fits

NOISE = Noise(7e-4, 0.0)
READINGS = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.2]])


def believed(motors):
    """A hypothesis of which nothing is known but its joints' motors."""
    count = len(motors.columns)
    tree = KinematicTree(
        np.arange(count + 1),
        np.arange(count),
        np.zeros((count, 6)),
        np.ones(count, dtype=bool),
        np.zeros((3, count)),
        np.zeros(count),
        np.ones(count),
        motors,
    )
    return Hypothesis(None, None, None, tree, None, None)


def test_joints_are_predicted_by_their_motors():
    motors = MotorFits(np.array([1, 0]), np.array([1.0, -0.5]), np.array([0.0, 0.05]))
    np.testing.assert_allclose(
        believed(motors).predicted(READINGS), np.stack([READINGS[:, 1], -READINGS[:, 0] / 2], 1)
    )
    assert believed(motors).predicted(READINGS[:0]).shape == (0, 2)


def test_a_joint_that_no_motor_explains_is_not_predicted():
    motors = MotorFits(np.array([1, 0, 0]), np.ones(3), np.array([0.0, 0.5, 0.05]))
    predicted = believed(motors).predicted(READINGS)
    assert np.isnan(predicted[:, 1]).all()
    np.testing.assert_allclose(predicted[:, [0, 2]], READINGS[:, [1, 0]])


def test_a_joint_found_without_readings_is_not_predicted():
    """The first look may fall back to what was found without; later readings say nothing of it."""
    motors = motor_fits(np.ones((3, 2)), None)
    assert np.isnan(believed(motors).predicted(READINGS)).all()


@pytest.mark.parametrize(
    ("columns", "misfits", "driven"),
    [
        ([0, 1, 2], [0.0, 0.0, 0.0], 3),
        ([0, 1, 1], [0.0, 0.0, 0.05], 2),
        ([0, 1, 2], [0.0, 0.0, 0.5], 1),
        ([0, 0], [0.5, 0.5], -2),
    ],
)
def test_driven_counts_motors_that_explain_less_joints_that_none_does(columns, misfits, driven):
    motors = MotorFits(np.array(columns), np.ones(len(columns)), np.array(misfits))
    assert believed(motors).driven == driven


def test_points_go_to_the_link_whose_adjusted_motion_explains_them():
    shapes = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.21))]
    still = np.tile(np.eye(4), (2, 1, 1))
    reference, labels = merged_cloud(shapes, still, 900, 0)
    twist = revolute_twist(np.array([[0.0, 0, 1]]), np.zeros((1, 3)))
    model = Articulation(np.array([0]), twist, np.array([True]), np.zeros((1, 3)))
    values = np.array([[0.4], [-0.5], [0.7]])
    base = np.tile(np.eye(4), (3, 1, 1))
    frames = [
        merged_cloud(shapes, poses, 900, 1 + i)[0]
        for i, poses in enumerate(body_poses(model, values, base))
    ]
    wrong = labels.copy()
    wrong[(labels == 1) & (reference.points[:, 2] < 0.12)] = 0
    wrong[:50] = -1
    before = replace(believed(motor_fits(values, None)), labels=wrong, model=model)
    adjusted = Adjustment(
        model, States(values, base), np.zeros(3), 5e-4, np.eye(4), np.ones((3, 1)), 0.0
    )
    neighbours = neighbour_graph(reference.points, reference.spacing)
    after = relabelled(reference, frames, before, adjusted, neighbours, noise=Noise(1e-3, 0.0))
    # A flat bottom shows no turn, and may go either way.
    told = reference.points[:, 2] > 0.065
    assert np.mean((wrong == labels)[told]) < 0.92
    assert np.mean((after.labels == labels)[told]) > 0.98
    assert len(after.surface.points) == np.count_nonzero(after.labels >= 0)


def test_a_link_that_would_lose_its_points_keeps_them():
    shapes = [box((0.3, 0.3, 0.1)), box((0.1, 0.12, 0.3), (0, 0, 0.21))]
    reference, labels = merged_cloud(shapes, np.tile(np.eye(4), (2, 1, 1)), 600, 0)
    twist = revolute_twist(np.array([[0.0, 0, 1]]), np.zeros((1, 3)))
    model = Articulation(np.array([0]), twist, np.array([True]), np.zeros((1, 3)))
    base = np.tile(np.eye(4), (2, 1, 1))
    before = replace(believed(motor_fits(np.ones((2, 1)), None)), labels=labels, model=model)
    # The frames show nothing move; the values say that the upper box did.
    values = np.array([[1.0], [-1.0]])
    adjusted = Adjustment(
        model, States(values, base), np.zeros(2), 5e-4, np.eye(4), np.ones((2, 1)), 0.0
    )
    neighbours = neighbour_graph(reference.points, reference.spacing)
    after = relabelled(
        reference, [reference] * 2, before, adjusted, neighbours, noise=Noise(1e-3, 0.0)
    )
    sizes = np.bincount(after.labels[after.labels >= 0], minlength=2)
    assert sizes.min() > 0


def knuckle(angles):
    """A box on a round knuckle, which turns unseen, on a plate; found as two bodies, one joint.

    angles: (F, 2) of the knuckle about z and of the box about y.
    """
    shapes = [
        box((0.3, 0.3, 0.1)),
        trimesh.creation.cylinder(0.04, 0.06, transform=from_translation(np.array([0, 0, 0.08]))),
        box((0.06, 0.08, 0.3), (0, 0, 0.27)),
    ]
    axes, points = np.array([[0, 0, 1.0], [0, 1, 0]]), np.array([[0, 0, 0], [0, 0, 0.12]])
    turns = np.ones(2, dtype=bool)
    model = Articulation(np.array([0, 1]), revolute_twist(axes, points), turns, points)
    base = np.tile(np.eye(4), (len(angles), 1, 1))
    poses = body_poses(model, angles, base)
    counts = np.array([900, 120, 700])
    reference, true = merged_cloud(shapes, np.tile(np.eye(4), (3, 1, 1)), counts, 0)
    frames = [merged_cloud(shapes, pose, counts, 1 + i)[0] for i, pose in enumerate(poses)]
    labels = np.where(true == 2, 1, 0)
    bodies = refit_bodies(reference, labels, frames, poses[:, [0, 2]], gate=0.03, still=[0])
    tree = build_tree(
        bodies, np.zeros((2, 2)), root=0, noise=2 * NOISE.total, spacing=reference.spacing
    )
    fitted = Articulation(tree.parents, tree.twists, tree.revolute, np.zeros((1, 3)))
    segmentation = Segmentation(labels, bodies, 0, "still", (), ())
    surface = surface_of(reference, labels)
    states = States(tree.values, base)
    found = Hypothesis(fitted, surface, states, tree, segmentation, labels)
    return model, reference, frames, found


def with_middle(angles, lost):
    model, reference, frames, found = knuckle(angles)
    neighbours = neighbour_graph(reference.points, reference.spacing)
    before = np.full(len(reference.points), lost)
    after = with_middle_links(reference, frames, found, neighbours, noise=NOISE, before=before)
    return model, found, after


def test_a_round_knuckle_is_found_by_what_it_carries():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2))
    model, found, after = with_middle(angles, 5.0)
    assert found.model.parents.tolist() == [0]
    assert after.model.parents.tolist() == [0, 1]
    assert after.tree.bodies.tolist() == [0, -1, 1]
    axes = np.abs(np.sum(after.model.twists[:, :3] * model.twists[:, :3], axis=1))
    assert axes.min() > np.cos(np.radians(4.0))  # not adjusted yet
    assert set(np.unique(after.labels)) <= {-1, 0, 1, 2}
    assert np.mean(after.labels[found.labels == 1] == 2) > 0.9
    assert after.states.values.shape == (8, 2)


def test_a_link_that_was_explained_needs_no_more_joints():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2))
    _, found, after = with_middle(angles, 0.5)
    assert after is found


def test_one_joint_is_enough_where_the_knuckle_stood():
    angles = np.random.default_rng(0).uniform(-0.6, 0.6, (8, 2)) * [0, 1]
    _, found, after = with_middle(angles, 5.0)
    assert after is found
