import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_strategies import paths

from autourdf_ros.commanding.command_limits import screen
from autourdf_ros.commanding.trajectory import stopping, through
from autourdf_ros.model.limits.motion_limits import JointLimits


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(paths(), st.floats(0.05, 1.0))
def test_a_trajectory_stays_within_all_limits_between_its_states_as_well(path, speed):
    limits, waypoints = path
    trajectory = through(waypoints, limits, speed)
    times = np.linspace(0, trajectory.duration, 3000)
    positions = np.array([trajectory.at(time) for time in times])
    velocities = np.gradient(positions, times, axis=0)
    for column, name in enumerate(trajectory.joints):
        limit = limits[name]
        assert positions[:, column].min() >= limit.lower - 1e-6
        assert positions[:, column].max() <= limit.upper + 1e-6
        # Interpolating between the states may overshoot the velocity by a little.
        assert np.abs(velocities[:, column]).max() <= 1.02 * speed * limit.velocity + 1e-6
        assert (
            np.abs(trajectory.accelerations[:, column]).max()
            <= limit.acceleration * speed**2 * 1.000001
        )


@settings(max_examples=60, deadline=None)
@given(paths())
def test_a_trajectory_is_continuous_and_rests_in_every_waypoint(path):
    limits, waypoints = path
    trajectory = through(waypoints, limits)
    assert trajectory.times[0] == 0 and (np.diff(trajectory.times) > 0).all()
    assert not trajectory.velocities[[0, -1]].any()
    assert trajectory.goal == pytest.approx(waypoints[-1])
    steps = np.diff(trajectory.times)[:, None]
    travelled = steps * (trajectory.velocities[1:] + trajectory.velocities[:-1]) / 2
    jumps = np.abs(np.diff(trajectory.positions, axis=0) - travelled)
    assert jumps.max() <= 0.02 * np.ptp(trajectory.positions, axis=0).max() + 1e-9
    resting = trajectory.positions[~trajectory.velocities.any(axis=1)]
    for waypoint in waypoints:
        values = [waypoint[name] for name in trajectory.joints]
        assert np.isclose(resting, values, atol=1e-9).all(axis=1).any()


def test_the_slowest_joint_sets_the_time():
    limits = {"fast": JointLimits(-9, 9, 10, 1000), "slow": JointLimits(-9, 9, 0.5, 1000)}
    trajectory = through([{"fast": 0, "slow": 0}, {"fast": 1, "slow": 1}], limits)
    assert trajectory.duration == pytest.approx(15 / 8 / 0.5)
    assert np.abs(trajectory.velocities).max() <= 0.5 + 1e-9
    slower = through([{"fast": 0, "slow": 0}, {"fast": 1, "slow": 1}], limits, speed=0.25)
    assert slower.duration == pytest.approx(4 * trajectory.duration)


def test_joints_move_on_a_straight_line():
    limits = {name: JointLimits(-9, 9, 1, 1) for name in "ab"}
    trajectory = through([{"a": 0.0, "b": 1.0}, {"a": 1.0, "b": -1.0}], limits)
    np.testing.assert_allclose(
        trajectory.positions[:, 1], 1 - 2 * trajectory.positions[:, 0], atol=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(paths(), st.floats(0, 1), st.floats(0.1, 1))
def test_stopping_in_any_moment_is_smooth_and_within_limits(path, share, speed):
    limits, waypoints = path
    trajectory = through(waypoints, limits, speed)
    moment = share * trajectory.duration
    position = dict(zip(trajectory.joints, trajectory.at(moment), strict=True))
    velocity = dict(zip(trajectory.joints, trajectory.velocity_at(moment), strict=True))
    halt = stopping(position, velocity, limits)
    screen(halt, limits, position, 0.01)
    assert not halt.velocities[-1].any()
    shift = halt.positions[-1] - halt.positions[0]
    speeds = np.array(list(velocity.values()))
    assert (shift * speeds >= -1e-12).all()
    assert (np.abs(shift) <= np.abs(speeds) * halt.duration / 2 + 1e-12).all()
    hardest = np.array([limits[name].acceleration for name in halt.joints])
    assert (np.abs(speeds) / halt.duration <= hardest * 1.000001).all()


def test_at_rest_stopping_holds_the_position():
    halt = stopping({"a": 0.3}, {"a": 0.0}, {"a": JointLimits(-1, 1, 1, 1)})
    assert halt.goal == {"a": 0.3} and halt.duration == 0.1
