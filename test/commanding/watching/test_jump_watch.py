"""Readings that no motion explains are reported; readings that a joint can reach are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_strategies import paths

from autourdf_ros.commanding.trajectory import through
from autourdf_ros.commanding.watching.jump_watch import JumpWatch
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {"pan": JointLimits(-2.0, 2.0, 1.0, 5.0)}


@pytest.mark.slow
@given(paths(), st.floats(0.001, 0.2))
def test_no_trajectory_within_the_limits_jumps(path, period):
    limits, waypoints = path
    trajectory = through([waypoints[0], *waypoints], limits, 1.0)
    watch = JumpWatch(limits, 1e-6)
    for time in np.linspace(0, trajectory.duration, 50):
        positions = dict(zip(trajectory.joints, trajectory.at(time).tolist(), strict=True))
        assert watch.add(time, positions) is None


@given(st.floats(0.1, 3.0), st.sampled_from([-1.0, 1.0]), st.floats(0.0, 0.02))
def test_another_publisher_of_the_joint_is_noticed_at_once(distance, side, later):
    watch = JumpWatch(LIMITS, 0.05)
    assert watch.add(1.0, {"pan": 0.0, "tilt": 7.0}) is None
    reason = watch.add(1.0 + later, {"pan": side * distance, "tilt": -7.0})
    assert reason.startswith("joint pan jumped from 0.000 to ")
    assert reason.endswith("accepted is up to its velocity, 1")


def test_what_is_not_read_is_no_jump():
    watch = JumpWatch(LIMITS, 0.05)
    for positions in ({}, {"pan": float("nan")}, {"pan": 0.1}, {"pan": float("nan")}, {}):
        assert watch.add(1.0, positions) is None
    assert watch.add(1.01, {"pan": 0.1}) is None
