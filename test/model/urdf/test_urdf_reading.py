"""Anybody's URDF is read, or refused in words; nothing is fetched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from small_robot import URDF, write_robot

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.urdf_reading import read_description


def test_everything_is_read(tmp_path):
    robot = read_description(write_robot(tmp_path))
    assert robot.problems == ()
    assert [link.name for link in robot.links] == ["base_link", "arm", "slider"]
    lift, slide = robot.moving_joints
    assert (lift.type, lift.parent, lift.child) == ("revolute", "base_link", "arm")
    assert lift.axis.tolist() == [0, 1, 0]
    assert (slide.limit.upper, slide.limit.effort) == (0.1, 100)
    assert robot.links[1].inertial.pose[0, 3] == 0.2
    shapes = robot.links[1].shapes
    assert [(shape.role, shape.kind) for shape in shapes] == [
        ("visual", "mesh"),
        ("collision", "box"),
    ]
    np.testing.assert_allclose(shapes[1].half_size, [0.15, 0.025, 0.025])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"is no XML: Document is empty, line 1, column 1$"),
        ("<robot", "is no XML"),
        ("<sdf/>", "root element is <sdf>; accepted is <robot>"),
        ('<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>', "declares a document type"),
        (
            '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot>&a;</robot>',
            "declares a document type",
        ),
    ],
)
def test_what_is_no_urdf_is_refused(tmp_path, text, message):
    path = tmp_path / "x.urdf"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_description(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_description(tmp_path / "none.urdf")


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (('mass value="2"', 'mass value="heavy"'), "link 'arm', inertial: value is 'heavy'"),
        (('mass value="2"', "mass"), "link 'arm', inertial: value is missing"),
        (('upper="1.5"', 'upper="${pi}"'), "joint 'lift', limit: upper is '${pi}'"),
        (('axis xyz="0 1 0"', 'axis xyz="0 1"'), "joint 'lift', axis: xyz is '0 1'; accepted: 3"),
        (('effort="50"', 'effort="inf"'), "joint 'lift', limit: effort is 'inf'"),
        (('type="revolute"', 'type="hinge"'), "joint 'lift' has type 'hinge'"),
        (('<parent link="arm"/>', ""), "joint 'slide' has no <parent"),
        (('<box size="0.3 0.05 0.05"/>', ""), "link 'arm', collision has 0 geometries"),
        (('filename="meshes/arm.stl"', ""), "link 'arm', visual has a mesh without filename"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path, edit, problem):
    robot = read_description(write_robot(tmp_path, edit))
    assert len(robot.problems) == 1
    assert problem in robot.problems[0]


@given(data=st.data())
def test_no_attribute_value_breaks_the_reader(tmp_path_factory, data):
    root = etree.fromstring(URDF.encode())
    elements = [(element, key) for element in root.iter() for key in element.attrib]
    element, key = data.draw(st.sampled_from(elements))
    legal = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
    element.set(key, data.draw(st.text(legal, max_size=12) | st.floats().map(str)))
    path = tmp_path_factory.getbasetemp() / "any.urdf"
    path.write_bytes(etree.tostring(root))
    robot = read_description(path)
    assert len(robot.links) == 3 and len(robot.joints) == 2
    assert len(robot.problems) <= 2
