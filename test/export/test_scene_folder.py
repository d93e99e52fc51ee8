"""A robot and an object share one description, whose object nobody drives."""

import mujoco
import numpy as np
import pytest
import yaml
from lxml import etree
from sample_assembly import write_cabinet

from autourdf_ros.errors import InputError
from autourdf_ros.export.scene_folder import Scene, Thing, write_scene
from autourdf_ros.model.urdf.posed_urdf import read_urdf
from autourdf_ros.model.urdf.robot_library import find_urdf

pytestmark = pytest.mark.slow

FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
AWAY = 0.9  # m
OBJECT = "object_"


@pytest.fixture(scope="module")
def cabinet(tmp_path_factory):
    return write_cabinet(tmp_path_factory.mktemp("cabinet") / "out") / "robot.urdf"


@pytest.fixture(scope="module")
def scene(tmp_path_factory, cabinet):
    placement = np.eye(4)
    placement[0, 3] = AWAY
    folder = tmp_path_factory.mktemp("scene") / "out"
    things = (Thing(cabinet, placement),)
    write_scene(Scene(find_urdf("panda"), things, FINGERS, {"panda_joint4": -2.0}), folder)
    return folder


def test_the_object_stands_where_it_is_placed(scene, cabinet):
    joints = {one.name: one for one in read_urdf(scene / "robot.urdf").skeleton({}).joints}
    alone = {one.name: one for one in read_urdf(cabinet).skeleton({}).joints}
    for name, joint in alone.items():
        moved = joint.point + np.array((AWAY, 0, 0))
        assert joints[OBJECT + name].point == pytest.approx(moved, abs=1e-6)
        assert joints[OBJECT + name].axis == pytest.approx(joint.axis, abs=1e-6)


def test_planners_know_three_groups_and_drive_the_robot_alone(scene):
    srdf = etree.parse(scene / "robot.srdf")
    assert [one.get("name") for one in srdf.findall("group")] == ["arm", "hand", "object"]
    passive = {one.get("name") for one in srdf.findall("passive_joint")}
    assert {OBJECT + f"joint_{k}" for k in (1, 2, 3)} <= passive
    config = scene / "scene_moveit_config" / "config" / "ros2_controllers.yaml"
    text = yaml.dump(yaml.safe_load(config.read_text()))
    assert "panda_joint7" in text and OBJECT not in text


def test_mujoco_drives_the_robot_from_its_home(scene):
    model = mujoco.MjModel.from_xml_path(str(scene / "robot.mjcf.xml"))
    driven = {model.actuator(k).name for k in range(model.nu)}
    assert "panda_joint4" in driven and not any(name.startswith(OBJECT) for name in driven)
    assert model.key_qpos[0][model.joint("panda_joint4").qposadr[0]] == pytest.approx(-2.0)


def test_a_mesh_that_is_not_there_is_named(tmp_path, cabinet):
    lacking = tmp_path / "lacking.urdf"
    lacking.write_text(cabinet.read_text().replace("meshes/visual", "nowhere"))
    with pytest.raises(InputError, match="nowhere"):
        write_scene(
            Scene(find_urdf("panda"), (Thing(lacking, np.eye(4)),), (), {}), tmp_path / "out"
        )
    assert not (tmp_path / "out").exists()


def test_a_link_holds_a_thing(tmp_path, cabinet):
    placement = np.eye(4)
    placement[2, 3] = 0.2
    load = Thing(cabinet, placement, "load", "panda_hand")
    write_scene(Scene(find_urdf("panda"), (load,), FINGERS, {}), tmp_path / "out")
    tree = etree.parse(tmp_path / "out" / "robot.urdf")
    mount = tree.find(".//joint[@name='load_base_link_mount']")
    assert mount.find("parent").get("link") == "panda_hand"
    assert mount.find("origin").get("xyz") == "0 0 0.2"
    assert "load" in [
        one.get("name") for one in etree.parse(tmp_path / "out/robot.srdf").iter("group")
    ]


@pytest.mark.parametrize(
    ("things", "named"),
    [((("load", "nowhere"),), "nowhere"), ((("load", ""), ("load", "")), "load, load")],
)
def test_a_carrier_or_name_that_cannot_be_used_is_named(tmp_path, cabinet, things, named):
    made = tuple(Thing(cabinet, np.eye(4), name, carrier) for name, carrier in things)
    with pytest.raises(InputError, match=named):
        write_scene(Scene(find_urdf("panda"), made, (), {}), tmp_path / "out")
