"""Where the joints stood between two readings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.commanding.watching.reading_interpolation import interpolated
from autourdf_ros.data.joint_history import JointHistory


def history(*stamps):
    """Of joints that move evenly: a by 2 and b by -1 a second."""
    made = JointHistory(("a", "b"))
    for stamp in stamps:
        made.add(stamp, {"a": 2 * stamp, "b": -stamp})
    return made


@given(st.floats(10.0, 10.4))
def test_even_motion_is_exact(stamp):
    found = interpolated(history(10.0, 10.1, 10.25, 10.4), stamp)
    positions, speeds = found
    assert positions == pytest.approx({"a": 2 * stamp, "b": -stamp})
    assert not speeds or speeds == pytest.approx({"a": 2.0, "b": -1.0})


@pytest.mark.parametrize("stamp", [9.9, 10.5])
def test_a_moment_without_readings_on_both_sides_is_unknown(stamp):
    assert interpolated(history(10.0, 10.4), stamp) is None


def test_readings_too_far_apart_are_not_interpolated():
    assert interpolated(history(10.0, 12.0), 11.0) is None
