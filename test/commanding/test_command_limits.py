from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from motion_strategies import paths

from autourdf_ros.commanding.command_limits import screen
from autourdf_ros.commanding.trajectory import through
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits

LIMITS = {"a": JointLimits(-1, 1, 1, 2), "b": JointLimits(-2, 2, 1, 2)}
START = {"a": 0.0, "b": 0.5}
GOOD = through([START, {"a": 0.4, "b": 0.1}], LIMITS)


@settings(max_examples=50, deadline=None)
@given(paths())
def test_every_planned_trajectory_passes(path):
    limits, waypoints = path
    screen(through(waypoints, limits), limits, waypoints[0], 0.01)


def changed(field, index, value):
    array = getattr(GOOD, field).copy()
    array[index] = value
    return replace(GOOD, **{field: array})


@pytest.mark.parametrize(
    ("trajectory", "text"),
    [
        (changed("positions", (3, 0), 1.5), "takes a to 0.0000 .. 1.5000; accepted is -1 .. 1"),
        (changed("velocities", (3, 1), -1.2), "moves b with velocity 1.2000"),
        (changed("accelerations", (3, 1), 2.5), "moves b with acceleration 2.5000"),
        (changed("velocities", (-1, 0), 0.1), "does not end at rest"),
        (changed("times", 3, 0.0), "times do not increase"),
        (changed("times", 0, -1.0), "times do not increase"),
        (changed("positions", (2, 0), np.nan), "non-finite"),
        (replace(GOOD, velocities=GOOD.velocities[1:]), "missing or non-finite"),
        (replace(GOOD, joints=("a", "c")), "command for 'c', which has no limits"),
    ],
)
def test_what_exceeds_a_limit_is_refused(trajectory, text):
    with pytest.raises(InputError) as caught:
        screen(trajectory, LIMITS, START, 0.05)
    assert text in str(caught.value)


@pytest.mark.parametrize("measured", [{"a": 0.1, "b": 0.5}, {"a": float("nan"), "b": 0.5}, {}])
def test_a_start_elsewhere_than_the_robot_is_refused(measured):
    with pytest.raises(InputError, match="command starts a at"):
        screen(GOOD, LIMITS, measured, 0.05)
