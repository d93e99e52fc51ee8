"""MuJoCo simulates the robot from the result folder alone, wherever that is put."""

import shutil
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from lxml import etree
from synthetic_robot import arm_model
from test_semantics import meaning

from autourdf_ros.export.formats.mjcf import write_mjcf
from autourdf_ros.export.formats.urdf import write_urdf
from autourdf_ros.model.tree_joint import Mimic
from autourdf_ros.shape.collision.collision_pairs import collision_pairs

MODEL = arm_model(count=300)
MEANING = meaning(MODEL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mjcf")
    write_urdf(MODEL, folder)
    return folder


@pytest.fixture(scope="module")
def pairs(folder):
    home = {joint.name: joint.home for joint in MEANING.joints}
    return collision_pairs(folder / "robot.urdf", home, samples=200)


@pytest.fixture(scope="module")
def model(folder, pairs, tmp_path_factory):
    path = write_mjcf(MEANING, pairs, folder)
    moved = shutil.copytree(folder, tmp_path_factory.mktemp("moved") / "result")
    return mujoco.MjModel.from_xml_path(str(moved / path.name))


def test_it_has_the_links_and_drives(model):
    bodies = [model.body(index).name for index in range(model.nbody)]
    assert bodies == ["world", "base_link", *(f"link_{index}" for index in range(5))]
    drives = [model.actuator(index).name for index in range(model.nu)]
    assert drives == ["shoulder_pan", "arm_lift", "slide", "spin"]
    np.testing.assert_allclose(model.actuator_forcerange[:, 1], [100, 100, 500, 100])
    np.testing.assert_allclose(model.actuator_ctrlrange[:3], model.jnt_range[:3])
    assert not model.actuator_ctrllimited[3]  # it turns for ever


def test_disabled_pairs_are_excluded(model, pairs):
    excluded = [divmod(int(signature), 1 << 16) for signature in model.exclude_signature]
    names = {frozenset(model.body(index).name for index in pair) for pair in excluded}
    assert names and names == {frozenset({pair.link1, pair.link2}) for pair in pairs}


def test_what_is_seen_and_what_collides_are_in_groups_apart(model):
    seen = model.geom_group == 2
    assert seen.sum() == 5
    assert not model.geom_contype[seen].any()
    assert (model.geom_group[~seen] == 3).all()
    assert model.geom_contype[~seen].all()
    assert (model.geom_matid[seen] >= 0).all() and model.ntex == 5  # the OBJ's textures


def test_it_holds_and_goes_where_it_is_sent(model):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    home = [joint.home for joint in MEANING.joints]
    np.testing.assert_allclose(data.qpos, home, atol=1e-6)
    mujoco.mj_step(model, data, 1000)
    np.testing.assert_allclose(data.qpos, home, atol=0.05)
    data.ctrl[:] = np.add(home, [0.3, -0.2, 0.03, 0.5])
    mujoco.mj_step(model, data, 2000)
    np.testing.assert_allclose(data.qpos, data.ctrl, atol=0.05)
    assert not any(warning.number for warning in data.warning)


def test_a_joint_that_follows_is_tied_and_not_driven(folder, pairs, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    tree = etree.parse(copy / "robot.urdf")
    spin = tree.find("joint[@name='spin']")
    etree.SubElement(spin, "mimic", joint="shoulder_pan", multiplier="-2", offset="0.1")
    tree.write(copy / "robot.urdf")
    joints = list(MODEL.joints)
    joints[3] = replace(joints[3], mimic=Mimic("shoulder-pan", -2.0, 0.1), reference=-0.5)
    path = write_mjcf(meaning(MODEL.with_parts(joints=joints)), pairs, copy)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert [model.actuator(index).name for index in range(model.nu)] == [
        "shoulder_pan",
        "arm_lift",
        "slide",
    ]
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[0] += 0.4
    mujoco.mj_step(model, data, 2000)
    assert data.joint("spin").qpos[0] == pytest.approx(
        0.1 - 2 * data.joint("shoulder_pan").qpos[0], abs=0.02
    )


def test_a_base_that_floats_is_free_to_fall_and_to_turn(folder, pairs, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "floating")
    path = write_mjcf(meaning(MODEL, base="floating"), pairs, copy)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert (model.njnt, model.nq, model.nv) == (5, 4 + 7, 4 + 6)
    assert model.joint("floating_base").type == mujoco.mjtJoint.mjJNT_FREE
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    np.testing.assert_allclose(data.body("base_link").xpos, 0)
    np.testing.assert_allclose(data.qpos[:7], [0, 0, 0, 1, 0, 0, 0])
    mujoco.mj_step(model, data, 50)
    fallen = data.subtree_com[0] - data.time**2 / 2 * model.opt.gravity
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(fallen, data.subtree_com[0], atol=2e-3)
