"""The SRDF names what the URDF has, and nothing that follows is commanded."""

from xml.etree import ElementTree

from jointed_models import arm_with_gripper, joint, jointed, serial
from test_semantics import estimate, meaning

from autourdf_ros.export.formats.srdf import write_srdf
from autourdf_ros.shape.collision.collision_pairs import DisabledPair

PAIRS = (DisabledPair("a", "b", "Adjacent"), DisabledPair("left", "right", "Never"))


def written(model, folder, pairs=PAIRS):
    return ElementTree.parse(write_srdf(meaning(model), pairs, folder / "robot.srdf")).getroot()


def test_groups_and_end_effector(tmp_path):
    robot = written(arm_with_gripper(), tmp_path)
    assert robot.get("name") == "robot"
    arm, gripper, whole = robot.findall("group")
    assert arm.find("chain").attrib == {"base_link": "base_link", "tip_link": "f"}
    # The links bring both fingers' joints, so that the coupled joint stays in step.
    assert [link.get("name") for link in gripper.findall("link")] == ["left", "right"]
    assert [group.get("name") for group in whole] == ["manipulator", "gripper"]
    assert robot.find("end_effector").attrib == {
        "name": "gripper",
        "group": "gripper",
        "parent_link": "f",
        "parent_group": "manipulator",
    }


def test_home_commands_no_joint_that_follows(tmp_path):
    states = written(arm_with_gripper(), tmp_path).findall("group_state")
    assert [state.get("group") for state in states] == ["manipulator", "gripper", "whole_robot"]
    assert {state.get("name") for state in states} == {"home"}
    assert [len(state) for state in states] == [6, 1, 7]
    named = {joint.get("name") for state in states for joint in state}
    assert "to_right" not in named


def test_disabled_pairs_keep_their_reasons(tmp_path):
    pairs = written(arm_with_gripper(), tmp_path).findall("disable_collisions")
    assert [tuple(pair.attrib.values()) for pair in pairs] == [
        ("a", "b", "Adjacent"),
        ("left", "right", "Never"),
    ]


def test_the_file_says_that_pairs_hold_within_the_limits(tmp_path):
    written(arm_with_gripper(), tmp_path)
    text = (tmp_path / "robot.srdf").read_text()
    found, pairs = text.index("<!-- Never: "), text.index("<disable_collisions")
    assert "within the limits of the URDF" in text[found:pairs]


def test_passive_joints_are_reported(tmp_path):
    loose = joint("b", "c", estimate=estimate(None))
    driven = [joint("base", "a", estimate=estimate("m")), joint("a", "b", estimate=estimate("n"))]
    robot = written(jointed(*driven, loose), tmp_path)
    assert [joint.get("name") for joint in robot.findall("passive_joint")] == ["to_c"]
    assert [joint.get("name") for joint in robot.find("group_state")] == ["to_a", "to_b"]


def test_the_whole_robot_has_coupled_joints_that_no_group_has(tmp_path):
    model = jointed(*serial(3), joint("base", "x"), joint("base", "shade", follows="to_a"))
    whole = written(model, tmp_path).findall("group")[-1]
    assert [(child.tag, child.get("name")) for child in whole] == [
        ("group", "chain_1"),
        ("group", "chain_2"),
        ("joint", "to_shade"),
    ]


def test_a_robot_that_does_not_move(tmp_path):
    robot = written(jointed(), tmp_path, pairs=())
    assert len(robot) == 0


def test_only_a_base_that_floats_hangs_on_the_world_by_a_virtual_joint(tmp_path):
    assert written(arm_with_gripper(), tmp_path).find("virtual_joint") is None
    path = write_srdf(meaning(arm_with_gripper(), base="floating"), PAIRS, tmp_path / "robot.srdf")
    assert ElementTree.parse(path).getroot().find("virtual_joint").attrib == {
        "name": "floating_base",
        "type": "floating",
        "parent_frame": "world",
        "child_link": "base_link",
    }
