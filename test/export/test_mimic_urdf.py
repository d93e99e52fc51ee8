"""Mimic joints: every loader takes them, and those that know them move them as the model does."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import mujoco
import numpy as np
import pinocchio
import pybullet
import pytest
import urchin
import yourdfpy
from synthetic_robot import arm_model

from autourdf_ros.export.formats.urdf import write_urdf
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import Mimic

ARM = arm_model(count=60)
# The slide follows the lift, whose motor's name is no legal one in a URDF.
FOLLOWS = Mimic("arm/lift", -0.05, 0.01)
MODEL = SelfModel.of(
    "gripper",
    ARM.links,
    tuple(replace(j, mimic=FOLLOWS) if j.name == "slide" else j for j in ARM.joints),
)
PAN, LIFT, SPIN = 0.4, -0.6, 1.1
EXPECTED = link_poses(MODEL.tree, [PAN, LIFT, -0.05 * LIFT + 0.01, SPIN])
DRIVEN = {"shoulder_pan": PAN, "arm_lift": LIFT, "spin": SPIN}


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return write_urdf(MODEL, tmp_path_factory.mktemp("mimic"))


def test_it_stands_in_the_urdf(urdf):
    joints = ET.parse(urdf).getroot().findall("joint")
    found = {joint.get("name"): joint.find("mimic") for joint in joints}
    assert [name for name, mimic in found.items() if mimic is not None] == ["slide"]
    assert found["slide"].attrib == {"joint": "arm_lift", "multiplier": "-0.05", "offset": "0.01"}
    assert list(found).index("arm_lift") < list(found).index("slide")


def test_urchin_moves_it(urdf):
    robot = urchin.URDF.load(str(urdf))
    assert [joint.name for joint in robot.actuated_joints] == list(DRIVEN)
    poses = robot.link_fk(cfg=DRIVEN, use_names=True)
    for index, expected in enumerate(EXPECTED):
        np.testing.assert_allclose(poses[f"link_{index}"], expected, atol=1e-8)


def test_yourdfpy_moves_it(urdf):
    robot = yourdfpy.URDF.load(str(urdf))
    assert robot.actuated_joint_names == list(DRIVEN)
    robot.update_cfg(DRIVEN)
    for index, expected in enumerate(EXPECTED):
        np.testing.assert_allclose(robot.get_transform(f"link_{index}"), expected, atol=1e-6)


def test_pinocchio_moves_it(urdf):
    model = pinocchio.buildModelFromUrdf(str(urdf), mimic=True)
    assert model.nv == 3
    data = model.createData()
    pinocchio.framesForwardKinematics(
        model, data, np.array([PAN, LIFT, np.cos(SPIN), np.sin(SPIN)])
    )
    for index, expected in enumerate(EXPECTED):
        placement = data.oMf[model.getFrameId(f"link_{index}")].homogeneous
        np.testing.assert_allclose(placement, expected, atol=1e-8)


def test_mujoco_ties_it_by_an_equality(urdf):
    model = mujoco.MjModel.from_xml_path(str(urdf))
    assert [model.equality(0).type[0], model.neq] == [mujoco.mjtEq.mjEQ_JOINT, 1]
    first, second = model.eq_obj1id[0], model.eq_obj2id[0]
    assert (model.joint(first).name, model.joint(second).name) == ("slide", "arm_lift")
    np.testing.assert_allclose(model.eq_data[0, :5], [0.01, -0.05, 0, 0, 0])


def test_pybullet_loads_it(urdf):
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(str(urdf), physicsClientId=client)
        assert pybullet.getNumJoints(body, physicsClientId=client) == 5
    finally:
        pybullet.disconnect(client)
