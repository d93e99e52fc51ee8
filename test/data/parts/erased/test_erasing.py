"""Tests of the erasing of joints."""

import json

import numpy as np
import pytest
import trimesh
from boxes_urdf import BALL, CHAIN, SCENE

from autourdf_ros.data.parts.erased.case_folder import read_mechanism, write_case
from autourdf_ros.data.parts.erased.erasing import erase_joints
from autourdf_ros.errors import InputError


def erased(text, folder, seed=0, **options):
    path = folder / ("model.urdf" if text.startswith("<robot") else "model.xml")
    path.write_text(text)
    return erase_joints(read_mechanism(path, **options), seed)


def joint_of(model, name):
    return next(one for one in model.joints if one.joint.name == name)


def test_links_that_are_fixed_to_each_other_are_one_part(tmp_path):
    model = erased(CHAIN, tmp_path)
    assert sorted(model.links) == ["arm", "slider", "world"]
    arm = model.meshes[model.links.index("arm")]
    np.testing.assert_allclose(arm.bounds[:, 2], [1.0, 2.05], atol=1e-6)


def test_joints_are_in_the_common_frame(tmp_path):
    model = erased(CHAIN, tmp_path)
    turn, slide = joint_of(model, "turn"), joint_of(model, "slide")
    assert (turn.joint.type, slide.joint.type) == ("revolute", "prismatic")
    np.testing.assert_allclose(turn.joint.axis, [0, 1, 0], atol=1e-9)
    np.testing.assert_allclose(turn.joint.point, [0, 0.25, 1], atol=1e-9)
    np.testing.assert_allclose(slide.joint.axis, [0, 0, 1], atol=1e-9)
    assert model.links[slide.parent] == "arm" and model.links[slide.child] == "slider"
    assert model.root == turn.parent == model.links.index("world")


def test_collada_s_up_axis_counts_only_where_asked_for(tmp_path):
    box = trimesh.creation.box((0.1, 0.2, 0.6))
    mesh = tmp_path / "box.dae"
    mesh.write_bytes(trimesh.exchange.dae.export_collada(box).replace(b"Z_UP", b"Y_UP"))
    text = CHAIN.replace('<box size=".3 .3 .1"/>', '<mesh filename="box.dae"/>')
    heights = []
    for up_axis in (False, True):
        model = erased(text, tmp_path, up_axis=up_axis)
        arm = model.meshes[model.links.index("arm")]
        heights.append(arm.bounds[1, 2] - 2.0)
    np.testing.assert_allclose(heights, [0.3, 0.1], atol=1e-5)


def test_limits_count_from_the_pose(tmp_path):
    model = erased(CHAIN, tmp_path, pose={"slide": 0.1, "turn": np.pi / 2})
    slide = joint_of(model, "slide").joint
    np.testing.assert_allclose([slide.lower, slide.upper], [-0.2, 0.2])
    np.testing.assert_allclose(np.abs(slide.axis), [1, 0, 0], atol=1e-9)


def test_a_pose_of_an_unknown_joint_is_refused(tmp_path):
    with pytest.raises(InputError, match="joint 'bend'"):
        erased(CHAIN, tmp_path, pose={"bend": 1.0})


def test_leaves_without_geometry_are_left_out_and_noted(tmp_path):
    model = erased(CHAIN, tmp_path)
    assert any("'sensor'" in note for note in model.notes)


def test_joints_around_a_link_without_geometry_are_joined(tmp_path):
    model = erased(BALL, tmp_path)
    assert sorted(model.links) == ["base", "hand"]
    assert [one.joint.name for one in model.joints] == ["third"]
    assert len(model.notes) == 2


def test_the_order_of_parts_depends_on_the_seed_alone(tmp_path):
    orders = [erased(CHAIN, tmp_path, seed).links for seed in (*range(6), 0)]
    assert orders[0] == orders[-1]
    assert len(set(orders)) > 1


def test_of_a_scene_only_the_named_bodies_are_used(tmp_path):
    model = erased(SCENE, tmp_path, keep=("cabinet",), drop=("light",))
    assert sorted(model.links) == ["cabinet", "door"]
    hinge = model.joints[0].joint
    np.testing.assert_allclose(hinge.axis, [0, 0, 1])
    np.testing.assert_allclose(hinge.point[:2], [-0.5, -0.5])
    np.testing.assert_allclose([hinge.lower, hinge.upper], [0, np.pi / 2])


def test_what_is_seen_comes_before_what_collides(tmp_path):
    model = erased(SCENE, tmp_path, keep=("cabinet",), drop=("light",))
    np.testing.assert_allclose(model.meshes[model.root].extents, [1, 1, 1], atol=1e-6)


def test_an_unknown_body_is_refused(tmp_path):
    with pytest.raises(InputError, match="body 'fridge'"):
        erased(SCENE, tmp_path, keep=("fridge",))


def test_one_part_alone_is_refused(tmp_path):
    with pytest.raises(InputError, match="two or more"):
        erased(SCENE, tmp_path, keep=("robot",))


def test_a_case_is_written_as_the_benchmark_reads_it(tmp_path):
    path = tmp_path / "model.urdf"
    path.write_text(CHAIN)
    model = write_case(read_mechanism(path), tmp_path / "case", seed=1)
    truth = json.loads((tmp_path / "case/truth.json").read_text())
    assert (truth["root"], truth["parts"]) == (model.root, 3)
    assert truth["size"] == pytest.approx(model.size)
    assert {joint["name"] for joint in truth["joints"]} == {"turn", "slide"}
    meshes = [trimesh.load(tmp_path / f"case/parts/part_{number:02d}.ply") for number in range(3)]
    for mesh, part in zip(meshes, model.meshes, strict=True):
        np.testing.assert_allclose(mesh.bounds, part.bounds, atol=1e-6)
