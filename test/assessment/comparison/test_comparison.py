"""A comparison reports every change made on purpose with its size, and nothing else."""

import json
import re

import numpy as np
import pytest
from result_documents import write_document
from toy_robot import TOY_URDF, write_toy

from autourdf_ros.assessment.comparison.changes_table import sentence, table
from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.assessment.comparison.comparison import compare
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import exp_se3

LIMIT = '<limit lower="0" upper="1" effort="1" velocity="1"/>'
INERTIAL = '<mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LIFT = '<origin xyz="0 0.07 0.2"/><axis xyz="0 1 0"/>'
ROLL = '<origin xyz="0.05 0 0"/><axis xyz="1 0 0"/>'


@pytest.fixture
def compared(tmp_path):
    """The toy robot against one with texts replaced."""

    def run(*edits):
        text = TOY_URDF
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new, 1)
        (tmp_path / "second.urdf").write_text(text)
        return compare(open_robot(write_toy(tmp_path)), open_robot(tmp_path / "second.urdf"))

    return run


def changes(comparison):
    """What changed, by the name of joint or link."""
    items = (*comparison.joints, *comparison.links)
    return {item.names[0]: item.changed for item in items if item.changed}


def result(folder, names, stds=(1e-3, 1e-4), limits="-2"):
    """A result folder of the toy robot, its joints renamed and known to `stds`."""
    folder.mkdir()
    text = TOY_URDF.replace('lower="-2"', f'lower="{limits}"')
    for old, new in names.items():
        text = text.replace(f'joint name="{old}"', f'joint name="{new}"')
        text = text.replace(f'mimic joint="{old}"', f'mimic joint="{new}"')
    (folder / "robot.urdf").write_text(text)
    joints = [{"name": name, "axis_std": stds[0], "line_std": stds[1]} for name in names.values()]
    write_document(folder, joints=joints, sequences=[])
    return folder


def test_the_same_robot_did_not_change(compared):
    comparison = compared()
    assert not comparison.changed
    assert changes(comparison) == {}
    assert [joint.names[0] for joint in comparison.joints] == [
        "pan", "lift", "hidden", "roll", "slide", "slide_coupled",
    ]  # fmt: skip
    assert sentence(comparison) == "no significant change of 6 joints and 8 links compared"
    assert max(link.mean for link in comparison.links if link.mean is not None) < 1e-6


def test_an_axis_that_was_turned(compared):
    tilt = np.radians(2)
    comparison = compared((LIFT, LIFT.replace("0 1 0", f"0 {np.cos(tilt)} {np.sin(tilt)}")))
    assert changes(comparison) == {"lift": ("axis 2.00°",)}
    assert comparison.changed


def test_a_line_that_was_moved_across_itself(compared):
    comparison = compared((ROLL, '<origin xyz="0.05 0.004 0"/><axis xyz="1 0 0"/>'))
    changed = changes(comparison)
    assert changed.pop("roll") == ("line 4.00 mm",)
    assert set(changed) == {"hand", "tool"}  # which moved with it


def test_a_joint_that_moved_with_all_that_it_bears(compared):
    """Most joints are shifted alike, but the root is not: no shift of the whole robot."""
    comparison = compared((LIFT, LIFT.replace("0 0.07 0.2", "0.005 0.07 0.2")))
    assert not comparison.shift.any()
    assert changes(comparison)["lift"] == ("line 5.00 mm",)
    assert not {"pan", "base", "column"} & set(changes(comparison))


@pytest.mark.parametrize("angle", [-170.0, -25.0, 1.0, 90.0])
def test_a_zero_that_moved_is_no_change_of_what_the_joint_bears(compared, angle):
    turned = f'<origin xyz="0 0.07 0.2" rpy="0 {np.radians(angle)} 0"/><axis xyz="0 1 0"/>'
    comparison = compared((LIFT, turned))
    (changed,) = changes(comparison).values()
    joint = next(joint for joint in comparison.joints if joint.names[0] == "lift")
    # The same pose is at the value less by what the origin turns.
    assert np.degrees(joint.zero) == pytest.approx(-angle, abs=0.05)
    assert changed == (
        f"zero {-angle:+.2f}°",
        f"limits -171.9 .. 171.9° -> {angle - 171.9:.1f} .. {angle + 171.9:.1f}°",
    )


def test_a_slide_whose_zero_moved(compared):
    comparison = compared(("0.3 0 0.06", "0.31 0 0.06"))
    slide = next(joint for joint in comparison.joints if joint.names[0] == "slide")
    assert slide.zero == pytest.approx(-0.01, abs=1e-4)
    assert slide.distance is None


def test_a_joint_that_counts_the_other_way(compared):
    comparison = compared((LIFT, LIFT.replace("0 1 0", "0 -1 0")))
    assert changes(comparison) == {"lift": ("direction reversed",)}


@pytest.mark.slow
def test_other_limits_type_and_parent(compared):
    assert changes(compared(('lower="-2"', 'lower="-1"'))) == {
        "pan": ("limits -114.6 .. 114.6° -> -57.3 .. 114.6°",)
    }
    slid = compared(
        ('name="roll" type="continuous">', f'name="roll" type="prismatic">{LIMIT}'),
    )
    assert changes(slid)["roll"] == ("type continuous -> prismatic",)
    moved = compared(
        ('<parent link="shaft"/><child link="hand"/>', '<parent link="arm"/><child link="hand"/>'),
        (ROLL, ROLL.replace("0.05 0 0", "0.4 0 0")),
    )
    assert changes(moved) == {"roll": ("parent shaft -> arm",)}


def test_a_link_that_became_larger_or_got_a_mass(compared):
    enlarged = compared(('<box size="0.3 0.05 0.06"/>', '<box size="0.3 0.05 0.08"/>'))
    (change,) = changes(enlarged)["arm"]
    assert change.startswith("surface ")
    arm = next(link for link in enlarged.links if link.names[0] == "arm")
    assert 0.002 < arm.mean < 0.01 and arm.largest == pytest.approx(0.01, abs=1e-3)
    heavy = compared(
        ('<link name="shaft"/>', f'<link name="shaft"><inertial>{INERTIAL}</inertial></link>')
    )
    assert changes(heavy) == {"shaft": ("mass 0 -> 2 kg",)}


def test_links_and_joints_that_are_new_or_gone(compared):
    tail = (
        '<link name="eye"/><joint name="look" type="revolute"><parent link="tool"/>'
        f'<child link="eye"/><axis xyz="0 0 1"/>{LIMIT}</joint></robot>'
    )
    comparison = compared(("</robot>", tail))
    assert (comparison.added_joints, comparison.added_links) == (("look",), ("eye",))
    assert comparison.removed_joints == comparison.removed_links == ()
    assert comparison.changed and changes(comparison) == {}
    assert "added joints: look" in table(comparison)
    assert sentence(comparison).startswith("1 joints added (look); 1 links added (eye), of 6")


def test_the_root_of_another_name_is_the_root(compared):
    comparison = compared(
        ('<link name="base">', '<link name="world"/><link name="foot">'),
        ('<parent link="base"/>', '<parent link="foot"/>'),
        (
            "</robot>",
            '<joint name="stand" type="fixed"><parent link="world"/><child link="foot"/></joint>'
            "</robot>",
        ),
    )
    assert comparison.links[0].names == ("base", "foot")
    assert comparison.added_links == ("world",)


def test_a_shift_of_the_whole_robot_is_distinguished(compared):
    comparison = compared(
        ('xyz="0.01 0.02 0.1"', 'xyz="0.013 0.02 0.098"'),
        ('<origin xyz="0 0 0.05"/>', '<origin xyz="0.003 0 0.048"/>'),
    )
    np.testing.assert_allclose(comparison.shift, [0.003, 0, -0.002], atol=1e-4)
    assert not comparison.changed
    assert "whole robot shifted by +3.00 " in table(comparison)


NAMES = ("pan", "lift", "hidden", "roll", "slide", "slide_coupled")


def test_joints_that_are_only_counted_are_paired_by_where_they_are(tmp_path):
    """Two results without readings: their numbers mean nothing."""
    first = result(tmp_path / "a", {name: f"joint_{i + 1}" for i, name in enumerate(NAMES)})
    numbers = (6, 3, 5, 1, 2, 4)
    second = result(
        tmp_path / "b",
        {name: f"joint_{i}" for name, i in zip(NAMES, numbers, strict=True)},
        limits="-1",
    )
    comparison = compare(open_robot(first), open_robot(second))
    pairs = dict(joint.names for joint in comparison.joints)
    assert [pairs[f"joint_{i + 1}"] for i in range(4)] == [f"joint_{i}" for i in numbers[:4]]
    assert not any(joint.changed for joint in comparison.joints)  # nor are limits, then


def test_differences_are_measured_in_standard_deviations(tmp_path):
    write_toy(tmp_path)
    tilt = np.radians(1)
    names = {name: name for name in NAMES}
    for stds, significant in (((np.radians(0.1), 1e-4), True), ((np.radians(0.5), 1e-4), False)):
        folder = result(tmp_path / f"{significant}", names, stds)
        urdf = folder / "robot.urdf"
        turned = f'<origin xyz="0 0.07 0.2"/><axis xyz="0 {np.cos(tilt)} {np.sin(tilt)}"/>'
        urdf.write_text(urdf.read_text().replace(LIFT, turned))
        comparison = compare(open_robot(tmp_path / "toy.urdf"), open_robot(folder))
        lift = next(joint for joint in comparison.joints if joint.names[0] == "lift")
        assert lift.angle_sigmas == pytest.approx(tilt / stds[0], rel=1e-3)
        assert ("axis 1.00°" in lift.changed) is significant


def test_what_cannot_be_compared_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        open_robot(tmp_path / "none.urdf")


def seen_by(folder, poses, **changes):
    """The toy robot's result folder, with cameras at poses."""
    result(folder, {"pan": "pan", "lift": "lift"})
    entries = [{"pose": pose.tolist(), "turn_std": 1e-4, "shift_std": 1e-4} for pose in poses]
    file = folder / "reconstruction.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"camera_poses": entries} | changes))
    return open_robot(folder)


def test_a_camera_that_moved_stands_out_where_the_robot_moved_too(tmp_path):
    poses = exp_se3(np.random.default_rng(0).normal(0, 1, (4, 6)))
    whole = exp_se3(np.array([0, 0, 0.01, 0.02, 0, 0]))
    turned = exp_se3(np.array([0, 0, np.radians(0.5), 0, 0, 0]))
    moved = whole @ poses
    moved[1] = moved[1] @ turned
    first = seen_by(tmp_path / "first", poses)
    comparison = compare(first, seen_by(tmp_path / "second", moved))
    assert [camera.name for camera in comparison.cameras if camera.changed] == ["camera 2"]
    assert np.degrees(comparison.cameras[1].turn) == pytest.approx(0.5, abs=1e-4)
    assert max(camera.sigmas for camera in comparison.cameras if not camera.changed) < 1e-6
    assert not comparison.changed  # it is no part of the robot
    assert sentence(comparison).startswith("1 cameras moved (camera 2), of ")
    assert re.search(r"camera 2 +0\.500 .* moved", table(comparison))


def test_other_cameras_are_not_compared(tmp_path):
    poses = np.tile(np.eye(4), (2, 1, 1))
    first = seen_by(tmp_path / "first", poses, input={"cameras": ["/a", "/b"]})
    others = seen_by(tmp_path / "others", poses, input={"cameras": ["/a", "/c"]})
    fewer = seen_by(tmp_path / "fewer", poses[:1])
    none = seen_by(tmp_path / "none", poses[:0])
    assert [len(compare(first, one).cameras) for one in (first, others, fewer, none)] == [
        2,
        0,
        0,
        0,
    ]
