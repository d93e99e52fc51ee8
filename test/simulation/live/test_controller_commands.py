"""What the controllers take and refuse."""

import numpy as np
import pytest
from toy_robot import DRIVEN

from autourdf_ros.simulation.live.controller_commands import (
    Reference,
    RefusedError,
    TrajectoryPoint,
    driven_names,
    position_reference,
    trajectory_reference,
)

HERE = np.zeros(5)


def point(time, position=0.1, velocity=None, count=5):
    velocities = [] if velocity is None else [velocity] * count
    return TrajectoryPoint([position] * count, velocities, time)


def reference(toy, points, names=tuple(DRIVEN), now=10.0, start=10.0):
    return trajectory_reference(toy, list(names), points, HERE, now, start)


def test_only_motors_are_driven(toy):
    assert driven_names(toy) == DRIVEN


def test_a_trajectory_begins_where_the_robot_is(toy):
    asked = reference(toy, [point(1.0, 0.1, 0.2), point(2.0, 0.3, 0.0)])
    assert asked.times.tolist() == [10, 11, 12]
    np.testing.assert_allclose(asked.at(10.0)[0], HERE)
    for time, position, velocity in ((11.0, 0.1, 0.2), (12.0, 0.3, 0.0), (99.0, 0.3, 0.0)):
        np.testing.assert_allclose(asked.at(time)[0], position)
        np.testing.assert_allclose(asked.at(time)[1], velocity, atol=1e-12)


def test_points_without_velocities_are_joined_by_lines(toy):
    asked = reference(toy, [point(1.0, 0.1), point(2.0, 0.3)])
    np.testing.assert_allclose(asked.at(11.5)[0], 0.2)
    np.testing.assert_allclose(asked.at(11.5)[1], 0.2)


def test_the_velocity_is_the_derivative_of_the_position():
    asked = Reference(
        np.array([0.0, 1.0, 3.0]), np.array([[0.0], [1.0], [0.5]]), np.array([[0.0], [0.3], [0.0]])
    )
    for time in np.linspace(0.1, 2.9, 20):
        slope = (asked.at(time + 1e-6)[0] - asked.at(time - 1e-6)[0]) / 2e-6
        np.testing.assert_allclose(asked.at(time)[1], slope, atol=1e-6)


def test_joints_may_come_in_any_order(toy):
    positions = [0.1, 0.2, 0.3, 0.4, 0.05]
    shuffled = TrajectoryPoint(positions[::-1], [], 1.0)
    asked = trajectory_reference(toy, DRIVEN[::-1], [shuffled], HERE, 0.0, 0.0)
    np.testing.assert_allclose(asked.at(1.0)[0], positions)


@pytest.mark.parametrize(
    ("names", "points", "reason"),
    [
        (DRIVEN, [], "no points"),
        ([*DRIVEN[:4], "elbow"], [point(1.0)], "unknown joint 'elbow'; .* pan, lift, hidden"),
        ([*DRIVEN, "slide_coupled"], [point(1.0, count=6)], "unknown joint 'slide_coupled'"),
        (DRIVEN[:4], [point(1.0, count=4)], "joint 'slide' is missing"),
        ([*DRIVEN, "pan"], [point(1.0, count=6)], "named twice"),
        (DRIVEN, [point(1.0), point(1.0)], "do not increase"),
        (DRIVEN, [point(2.0), point(1.0)], "do not increase"),
        (DRIVEN, [point(-1.0)], "do not increase"),
        (DRIVEN, [point(1.0, velocity=0.1)], "last point is not zero"),
        (DRIVEN, [point(1.0, count=4)], "point 0 has 4 positions for 5 joints"),
        (DRIVEN, [TrajectoryPoint([0.1] * 5, [0.0], 1.0)], "1 velocities for 5 joints"),
        (DRIVEN, [point(1.0, np.nan)], "not finite"),
    ],
)
def test_refused_trajectories(toy, names, points, reason):
    with pytest.raises(RefusedError, match=reason):
        reference(toy, points, names)


def test_a_trajectory_that_is_over_is_refused(toy):
    with pytest.raises(RefusedError, match=r"ended 3\.000 s ago"):
        reference(toy, [point(2.0)], now=15.0, start=10.0)


@pytest.mark.parametrize(
    ("positions", "reason"),
    [([0.0], r"1 positions for 5 joints \(pan, "), ([0.0] * 4 + [np.inf], "not a finite")],
)
def test_refused_positions(toy, positions, reason):
    with pytest.raises(RefusedError, match=reason):
        position_reference(toy, positions, 0.0)
