"""Joints of a URDF that a person can set."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.sliders import Slider, read_sliders

URDF = """<robot name="r"><link name="a"/>
<joint name="fix" type="fixed"/>
<joint name="turn" type="revolute"><limit lower="-1" upper="2.5" effort="1" velocity="1"/></joint>
<joint name="wheel" type="continuous"/>
<joint name="slide" type="prismatic"><limit upper="0.1" effort="1" velocity="1"/></joint>
<joint name="follower" type="prismatic"><mimic joint="slide"/><limit lower="0" upper="1"/></joint>
</robot>"""


def test_joints_that_move_by_themselves():
    assert read_sliders(URDF) == (
        Slider("turn", -1.0, 2.5),
        Slider("wheel", -math.pi, math.pi),
        Slider("slide", 0.0, 0.1),
    )


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("</robot>", "", "is no XML"),
        ('lower="-1"', 'lower="low"', "joint turn has no limits"),
        ('lower="-1"', 'lower="3"', "joint turn has limits 3 to 2.5"),
        ('upper="0.1"', 'upper="inf"', "joint slide has limits 0 to inf"),
        ('type="continuous"', 'type="revolute"', "joint wheel has no limits"),
    ],
)
def test_a_bad_description_is_one_error(old, new, text):
    with pytest.raises(InputError, match=text):
        read_sliders(URDF.replace(old, new))


@given(st.floats(-3, 3), st.floats(0, 4), st.floats(0, 1))
def test_a_sweep_sees_the_whole_range_without_a_jump(lower, span, share):
    slider = Slider("joint", lower, lower + span)
    start = slider.clipped(lower + share * span)
    steps = 400
    values = [slider.swept(start, i / steps) for i in range(steps + 1)]
    assert values[0] == pytest.approx(start) and values[-1] == pytest.approx(start, abs=1e-9)
    assert max(values) == pytest.approx(slider.upper, abs=2 * span / steps + 1e-9)
    assert min(values) == pytest.approx(slider.lower, abs=2 * span / steps + 1e-9)
    assert all(slider.lower - 1e-9 <= value <= slider.upper + 1e-9 for value in values)
    steps_taken = [abs(b - a) for a, b in pairwise(values)]
    assert max(steps_taken) <= 2 * span / steps + 1e-9
