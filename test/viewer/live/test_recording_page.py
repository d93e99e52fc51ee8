from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.viewer.live.recording_page import joint_line, share

VALUES = st.floats(-10.0, 10.0)


@given(VALUES, VALUES, VALUES)
def test_a_bar_is_between_empty_and_full(first, second, third):
    lowest, value, highest = sorted((first, second, third))
    assert 0.0 <= share(value, lowest, highest) <= 100.0


def test_a_joint_that_has_not_moved_is_in_the_middle():
    assert share(1.0, 1.0, 1.0) == 50.0
    assert share(2.0, 1.0, 2.0) == 100.0


def test_a_name_is_no_markup():
    line = joint_line("<b>*elbow*</b>", 1.0)
    assert line == r"\<b\>\*elbow\*\<\/b\>: 1.000 (57.3° if it turns)"
