"""Forbidden configurations are met by the whole line, not only by its ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.commanding.screening.forbidden import Forbidden, crossed

BOX = Forbidden("elbow_down", {"lift": (0.2, 0.4), "elbow": (-1.0, 1.0)})


def at(pan, lift, elbow):
    return {"pan": pan, "lift": lift, "elbow": elbow}


def test_a_line_that_passes_through_is_met_though_its_ends_are_free():
    assert BOX.crossed(at(0, 0.0, 0), at(1, 1.0, 0))
    assert not BOX.crossed(at(0, 0.0, 2), at(1, 1.0, 2))
    assert not BOX.crossed(at(0, 0.0, 0), at(1, 0.1, 0))


def test_a_place_and_a_touched_face_count():
    assert BOX.crossed(at(0, 0.3, 0), at(0, 0.3, 0))
    assert BOX.crossed(at(0, 0.1, 0), at(0, 0.2, 0))
    assert not BOX.crossed(at(0, 0.5, 0), at(0, 0.5, 0))


def test_a_line_that_passes_the_corner_is_free():
    # It enters the range of one joint only after it has left the other's.
    box = Forbidden("corner", {"lift": (0.0, 1.0), "elbow": (0.0, 1.0)})
    assert not box.crossed(at(0, 0.5, -1.0), at(0, 2.5, 0.9))


def test_the_box_is_named():
    reason = crossed([BOX], at(0, 0.0, 0), at(0, 1.0, 0))
    assert reason == (
        "it meets the forbidden configurations 'elbow_down' (lift 0.2 .. 0.4, elbow -1 .. 1)"
    )
    assert crossed([BOX], at(0, 0.0, 0), at(5, 0.1, 0)) is None


POINT = st.tuples(st.floats(-1, 1), st.floats(-2, 2), st.floats(-2, 2))


@pytest.mark.slow
@given(POINT, POINT)
def test_no_point_of_a_free_line_is_within(start, end):
    line = np.linspace(start, end, 101)
    inside = (np.abs(line[:, 1] - 0.3) <= 0.1 - 1e-9) & (np.abs(line[:, 2]) <= 1.0 - 1e-9)
    if inside.any():
        assert BOX.crossed(at(*start), at(*end))
