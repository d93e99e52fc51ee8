from dataclasses import replace

import numpy as np
import pytest
from shapes import box, merged_cloud

from autourdf_ros.kinematics.adjustment import Adjustment, States
from autourdf_ros.kinematics.articulation import Articulation, body_poses
from autourdf_ros.kinematics.deformation_graph import neighbour_graph
from autourdf_ros.kinematics.hypothesis import Hypothesis, relabelled
from autourdf_ros.kinematics.merging import Noise
from autourdf_ros.kinematics.rigid_motion import revolute_twist
from autourdf_ros.kinematics.topology import KinematicTree, MotorFits, motor_fits

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
