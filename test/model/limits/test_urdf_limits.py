"""Limits from a URDF that exists, completed and narrowed by what is given beside it."""

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.model.limits.urdf_limits import complete_limits, urdf_limits

URDF = """<robot name="r"><link name="a"/>
<joint name="turn" type="revolute"><limit lower="-1" upper="2" velocity="4" effort="9"/></joint>
<joint name="wheel" type="continuous"><limit velocity="2" effort="9"/></joint>
<joint name="slide" type="prismatic"><limit lower="0" upper="0.1" velocity="0.2"/></joint>
<joint name="bare" type="revolute"/>
<joint name="copy" type="revolute"><limit lower="0" upper="1" velocity="1"/>
<mimic joint="turn"/></joint><joint name="still" type="fixed"/></robot>"""
PULL = {"acceleration": 8.0}


@pytest.fixture
def urdf(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    return tmp_path / "r.urdf"


def test_a_urdf_gives_what_is_not_given(urdf):
    given = {"turn": PULL | {"velocity": None}, "slide": {"acceleration": 1.0}}
    limits = complete_limits(given, urdf, "cell")
    assert limits == {
        "turn": JointLimits(-1.0, 2.0, 4.0, 8.0),
        "slide": JointLimits(0.0, 0.1, 0.2, 1.0),
    }


def test_what_is_given_narrows_it(urdf):
    given = {"turn": PULL | {"lower": -0.5, "upper": 1.5, "velocity": 1.0}}
    assert complete_limits(given, urdf, "cell")["turn"] == JointLimits(-0.5, 1.5, 1.0, 8.0)


def test_a_rounded_number_is_no_wider_limit(urdf):
    given = {"turn": PULL | {"lower": -1.00001, "upper": 2.00001}}
    assert complete_limits(given, urdf, "cell")["turn"] == JointLimits(-1.0, 2.0, 4.0, 8.0)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"turn": {}}, "turn.acceleration: is missing, and the URDF does not state it"),
        ({"wheel": PULL}, "wheel.lower: is missing, and the URDF does not state it"),
        ({"bare": PULL}, "bare.lower: is missing"),
        ({"turn": PULL | {"lower": -1.2}}, "turn.lower: is -1.2, wider than -1 of"),
        ({"turn": PULL | {"upper": 2.1}}, "turn.upper: is 2.1, wider than 2 of"),
        ({"turn": PULL | {"velocity": 4.1}}, "turn.velocity: is 4.1, wider than 4 of"),
        ({"turn": PULL | {"lower": 2.5}}, "turn.lower: is 2.5; accepted is below upper, 2.0"),
        ({"turn": {"acceleration": 0.0}}, "turn.acceleration: is 0.0; accepted is above 0"),
        ({"copy": PULL}, "mimics turn; accepted are joints of their own"),
        ({"still": PULL}, "is fixed; accepted are joints of their own"),
        ({"roll": PULL}, "has no joint 'roll'; it has bare, copy"),
    ],
)
def test_the_joint_and_what_is_wrong_are_named(urdf, given, text):
    with pytest.raises(InputError) as caught:
        complete_limits(given, urdf, "cell")
    assert text in str(caught.value) and str(caught.value).startswith("cell: ")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (URDF.replace('velocity="4"', 'velocity="fast"'), "turn.velocity: is missing"),
        (URDF.replace('upper="2"', 'upper="nan"'), "turn.upper: is missing"),
        (URDF.replace('upper="2"', 'upper="-2"'), "turn.lower: is -1.0; accepted is below upper"),
        ("<robot", "is no XML"),
        ('<!DOCTYPE r [<!ENTITY x "1">]>' + URDF, "declares a document type"),
    ],
)
def test_a_urdf_that_shows_nothing_usable_is_refused(tmp_path, content, text):
    (tmp_path / "r.urdf").write_text(content)
    with pytest.raises(InputError, match=text):
        complete_limits({"turn": PULL}, tmp_path / "r.urdf", "cell")


def test_only_what_a_urdf_states_is_read(urdf):
    assert urdf_limits(urdf, ["wheel", "bare"], "cell") == {"wheel": {"velocity": 2.0}, "bare": {}}
