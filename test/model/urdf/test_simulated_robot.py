"""Kinematics, limits and self-collision of the simulated robot."""

import numpy as np
import pytest
import yourdfpy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from toy_robot import FOLDED, NAMES, TOY_URDF, values

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

UNIT = st.lists(st.floats(0, 1), min_size=6, max_size=6).map(np.array)


@pytest.fixture(scope="module")
def reference(toy_urdf):
    """The same robot in another library."""
    return yourdfpy.URDF.load(str(toy_urdf), load_meshes=False)


def inside(robot, shares):
    return robot.follow_mimics(robot.lower + shares * (robot.upper - robot.lower))


def test_bodies_are_what_moves_as_one(toy):
    assert toy.names == NAMES
    assert [joint.kind for joint in toy.joints] == [
        "revolute", "revolute", "revolute", "continuous", "prismatic", "prismatic"
    ]  # fmt: skip
    assert [joint.parent for joint in toy.joints] == [0, 1, 2, 3, 2, 2]
    assert [set(links) for links in toy.links] == [
        {"base"}, {"column"}, {"arm"}, {"shaft"}, {"hand", "tool"}, {"finger"}, {"second_finger"}
    ]  # fmt: skip
    assert [surface is None for surface in toy.surfaces] == [body == 3 for body in range(7)]


@settings(max_examples=20)
@given(UNIT)
def test_body_poses_agree_with_another_library(toy, reference, shares):
    chosen = inside(toy, shares)
    reference.update_cfg(dict(zip(toy.names, chosen, strict=True)))
    poses = toy.body_poses(chosen)
    for body, links in enumerate(toy.links):
        link = next(link for link in links if link != "tool")
        np.testing.assert_allclose(reference.get_transform(link, "base"), poses[body], atol=1e-9)


@settings(max_examples=20)
@given(UNIT, st.integers(0, 5))
def test_moving_a_joint_moves_its_child_about_its_axis(toy, shares, index):
    chosen = inside(toy, shares)
    axes, points = toy.axis_lines(chosen)
    turned = chosen.copy()
    turned[index] += 0.1
    before, after = (toy.body_poses(each)[index + 1] for each in (chosen, turned))
    motion = after @ np.linalg.inv(before)
    if toy.joints[index].kind == "prismatic":
        np.testing.assert_allclose(motion[:3, 3], 0.1 * axes[index], atol=1e-9)
    else:
        turn = Rotation.from_matrix(motion[:3, :3]).as_rotvec()
        np.testing.assert_allclose(turn, 0.1 * axes[index], atol=1e-9)
        np.testing.assert_allclose(motion @ [*points[index], 1], [*points[index], 1], atol=1e-9)


def test_mimic_joints_follow(toy):
    assert values(toy, slide=0.06)[5] == pytest.approx(-0.5 * 0.06 + 0.04)
    assert toy.joints[5].mimic.joint == "slide"
    assert toy.driven.tolist() == [True] * 5 + [False]


def test_limits_of_the_urdf(toy):
    assert toy.lower.tolist() == [-2, -3, -1, -np.pi, 0, 0]
    assert toy.upper.tolist() == [2, 3, 1, np.pi, 0.08, 0.08]
    assert [joint.velocity for joint in toy.joints] == [1.5, 2, 2, np.inf, 0.2, 0.2]


def test_self_collision_names_the_parts(toy):
    assert toy.colliding_links(toy.neutral) is None
    assert "base" in " ".join(toy.colliding_links(values(toy, **FOLDED)))


def test_neighbours_may_touch(toy_urdf, tmp_path):
    overlapping = TOY_URDF.replace('<origin xyz="0 0.07 0.2"/>', '<origin xyz="0 0 0.2"/>')
    path = tmp_path / "toy.urdf"
    path.write_text(overlapping)
    assert SimulatedRobot(path).colliding_links(np.zeros(6)) is None


def test_an_srdf_beside_the_urdf_disables_pairs(toy, tmp_path):
    path = tmp_path / "toy.urdf"
    path.write_text(TOY_URDF)
    pairs = "".join(
        f'<disable_collisions link1="base" link2="{link}" reason="test"/>'
        for link in ("arm", "finger", "second_finger", "hand")
    )
    (tmp_path / "toy.srdf").write_text(f'<robot name="toy">{pairs}</robot>')
    folded = values(toy, **FOLDED)
    assert SimulatedRobot(path).colliding_links(folded) is None


def test_joints_that_cannot_move_are_welded(tmp_path):
    text = TOY_URDF.replace('lower="-1" upper="1"', 'lower="0" upper="0"')
    text = text.replace('name="roll" type="continuous"', 'name="roll" type="floating"')
    path = tmp_path / "toy.urdf"
    path.write_text(text)
    robot = SimulatedRobot(path)
    assert robot.names == [name for name in NAMES if name not in ("hidden", "roll")]
    assert {"arm", "shaft", "hand", "tool"} == set(robot.links[2])


def test_a_library_robot_with_mesh_files():
    robot = SimulatedRobot(find_urdf("so100"))
    assert len(robot.joints) == 6
    assert all(surface is not None for surface in robot.surfaces)
    assert robot.colliding_links(robot.neutral) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no XML"),
        ("<robot name='x'><link name='a'>", "is no XML"),
        ("<robot name='x'/>", "not a usable URDF"),
        ("<robot name='x'><link name='a'/></robot>", "no revolute"),
        (TOY_URDF.replace('<sphere radius="0.04"/>', '<mesh filename="no.stl"/>'), "no.stl"),
    ],
)
def test_unusable_files_are_named(tmp_path, text, message):
    path = tmp_path / "broken.urdf"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        SimulatedRobot(path)
    assert "broken.urdf" in str(caught.value)
