"""Motors within their limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.simulation.live.controller_commands import Reference
from autourdf_ros.simulation.live.motor_drive import DriveLimits, DriveState, advance, at_rest

LIMITS = DriveLimits(np.array([1.0, 0.5]), np.array([3.0, 8.0]))
GOAL = st.floats(-2, 2)


def run(state, reference, duration, tick=0.01):
    states = [state]
    for number in range(round(duration / tick)):
        states.append(advance(states[-1], reference, LIMITS, state.time + (number + 1) * tick))
    return (
        np.array([each.position for each in states]),
        np.array([each.velocity for each in states]),
    )


@pytest.mark.slow
@settings(max_examples=30)
@given(st.tuples(GOAL, GOAL), st.tuples(GOAL, GOAL), st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
def test_goes_to_a_goal_within_the_limits(start, goal, share):
    """From any position, also while it moves."""
    state = DriveState(5.0, np.array(start), np.array(share) * LIMITS.velocity, np.zeros(2))
    positions, velocities = run(state, Reference(np.array([5.0]), np.array([goal])), 10.0)
    assert (np.abs(velocities) <= LIMITS.velocity + 1e-9).all()
    assert (np.abs(np.diff(velocities, axis=0)) <= LIMITS.acceleration * 0.01 + 1e-9).all()
    np.testing.assert_allclose(positions[-1], goal, atol=1e-6)
    np.testing.assert_allclose(velocities[-1], 0, atol=1e-6)


@pytest.mark.slow
@given(st.tuples(GOAL, GOAL))
@settings(max_examples=30)
def test_does_not_overshoot(goal):
    state = at_rest(np.zeros(2))
    positions, _ = run(state, Reference(np.zeros(1), np.array([goal])), 8.0)
    assert (np.abs(positions) <= np.abs(goal) + 1e-4).all()


def test_is_as_fast_as_the_limits_allow():
    state = at_rest(np.zeros(2))
    positions, _ = run(state, Reference(np.zeros(1), np.ones((1, 2))), 4.0)
    for joint in range(2):
        arrival = 0.01 * np.argmax(positions[:, joint] > 0.999)
        speed, acceleration = LIMITS.velocity[joint], LIMITS.acceleration[joint]
        assert arrival == pytest.approx(1 / speed + speed / acceleration, abs=0.1)


def test_follows_a_feasible_trajectory_exactly():
    times = np.array([0.0, 1.0, 2.0])
    velocities = np.array([[0.0, 0.0], [0.2, 0.1], [0.0, 0.0]])
    reference = Reference(times, np.array([[0.0, 0.0], [0.2, 0.1], [0.4, 0.2]]), velocities)
    positions, _ = run(at_rest(np.zeros(2)), reference, 2.5)
    expected = [reference.at(0.01 * number)[0] for number in range(len(positions))]
    np.testing.assert_allclose(positions, expected, atol=1e-3)


def test_the_state_depends_on_time_not_on_how_often_it_is_asked():
    state = at_rest(np.zeros(2))
    reference = Reference(np.zeros(1), np.ones((1, 2)))
    often, _ = run(state, reference, 1.0, tick=0.01)
    seldom, _ = run(state, reference, 1.0, tick=0.5)
    np.testing.assert_allclose(often[-1], seldom[-1], atol=1e-6)
    assert advance(state, reference, LIMITS, -1.0) == state
