import json

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.truth.truth import load_truth, truth_for
from autourdf_ros.errors import InputError

URDF = """<?xml version="1.0"?>
<robot name="hand">
  <link name="base_link"/><link name="palm"/><link name="column"/><link name="plate"/>
  <link name="left"/><link name="right"/>
  <joint name="mount" type="fixed"><parent link="base_link"/><child link="palm"/>
    <origin xyz="0 0 0.1"/></joint>
  <joint name="turn" type="continuous"><parent link="palm"/><child link="column"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="flange" type="fixed"><parent link="column"/><child link="plate"/>
    <origin xyz="0.2 0 0"/></joint>
  <joint name="finger" type="revolute"><parent link="plate"/><child link="left"/>
    <origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="plate"/><child link="right"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic joint="finger" multiplier="-0.5" offset="0.1"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "hand.urdf"
    path.write_text(URDF)
    return path


def test_links_that_fixed_joints_join_are_one_body(urdf):
    skeleton = load_truth(urdf).skeleton
    by_name = {joint.name: joint for joint in skeleton.joints}
    assert set(by_name) == {"turn", "finger", "slide"}
    assert by_name["turn"].parent == 0
    assert by_name["finger"].parent == by_name["slide"].parent == by_name["turn"].child
    np.testing.assert_allclose(by_name["finger"].point, [0.3, 0, 0.1], atol=1e-12)
    assert by_name["slide"].type == "prismatic"


def test_a_urdf_is_posed(urdf):
    skeleton = load_truth(urdf, {"turn": np.pi / 2}).skeleton
    by_name = {joint.name: joint for joint in skeleton.joints}
    np.testing.assert_allclose(by_name["finger"].point, [0, 0.3, 0.1], atol=1e-12)
    np.testing.assert_allclose(by_name["finger"].axis, [-1, 0, 0], atol=1e-12)


def test_a_mimic_joint_follows(urdf):
    robot = load_truth(urdf).robot
    poses = robot.body_poses({"finger": 0.4})
    slide = robot.joint_names.index("slide") + 1
    np.testing.assert_allclose(poses[slide, :3, 3], [0.2 - 0.2 + 0.1, 0, 0.1], atol=1e-12)
    posed = load_truth(urdf, {"finger": 0.4}).at({"finger": 0.0})
    by_name = {joint.name: joint for joint in posed.skeleton.joints}
    np.testing.assert_allclose(by_name["slide"].point, [0.3, 0, 0.1], atol=1e-12)


def test_a_truth_file_keeps_rigid_what_did_not_move(urdf, tmp_path):
    turn = {"name": "turn", "type": "revolute", "axis": [0, 0, 2], "point": [0, 0, 0.1]}
    path = tmp_path / "truth.json"
    path.write_text(
        json.dumps(
            {
                "urdf": "hand.urdf",
                "reference_configuration": {"turn": 0.0, "finger": 0.0},
                "joints": [turn | {"parent": 0, "child": 1}],
            }
        )
    )
    truth = load_truth(path)
    np.testing.assert_allclose(truth.skeleton.joints[0].axis, [0, 0, 1])
    assert truth_for(path, None, {"turn": 1.0, "encoder": 3.0}).skeleton.names == ("turn",)
    assert truth_for(path, None, None).configuration == {"turn": 0.0, "finger": 0.0}


def test_unusable_truths_are_named(tmp_path, urdf):
    with pytest.raises(InputError, match=r"missing\.json: cannot be read"):
        load_truth(tmp_path / "missing.json")
    with pytest.raises(InputError, match=r"missing\.urdf: cannot be read"):
        load_truth(tmp_path / "missing.urdf")
    bad = tmp_path / "bad.json"
    bad.write_text('{"format": "autourdf_ros/reconstruction", "version": 2}')
    with pytest.raises(InputError, match=r"bad\.json: is the reconstruction\.json of a result"):
        load_truth(bad)
    (tmp_path / "truth.json").touch()
    with pytest.raises(InputError, match=r"is a folder; accepted is .*give .*truth\.json"):
        load_truth(tmp_path)
    bad.write_text('{"joints": [{"name": "a"}]}')
    with pytest.raises(InputError, match=r"bad\.json: is no truth.*axis"):
        load_truth(bad)
    bad.write_text('{"joints": [')
    with pytest.raises(InputError, match=r"bad\.json: is no truth"):
        load_truth(bad)
    with pytest.raises(InputError, match="no moving joint named elbow; it has turn, finger, slide"):
        load_truth(urdf, {"elbow": 1.0})
    (tmp_path / "bad.urdf").write_text("<robot")
    with pytest.raises(InputError, match=r"bad\.urdf: is no XML"):
        load_truth(tmp_path / "bad.urdf")


def test_a_floating_joint_is_refused(tmp_path):
    path = tmp_path / "drone.urdf"
    path.write_text(
        '<robot name="drone"><link name="world"/><link name="body"/><joint name="free" '
        'type="floating"><parent link="world"/><child link="body"/></joint></robot>'
    )
    with pytest.raises(InputError, match="'free' has 6 degrees of freedom; accepted are"):
        load_truth(path)


def test_a_truth_of_another_version_is_refused_by_name(tmp_path):
    path = tmp_path / "truth.json"
    path.write_text('{"version": 2, "joints": []}')
    with pytest.raises(InputError, match=r"truth\.json: has version 2; accepted is 1, or none"):
        load_truth(path)
