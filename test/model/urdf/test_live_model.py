"""A result folder read back: transforms from motor readings, and damage reported."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_robot import arm_model

from autourdf_ros.errors import InputError
from autourdf_ros.export.formats.urdf import write_urdf
from autourdf_ros.model.document_migration import VERSION
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.result_files import DOCUMENT, FORMAT, SRDF, URDF
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import Mimic
from autourdf_ros.model.urdf.live_model import LiveModel

ARM = arm_model(readings=False, count=10)
# A weld in the middle of the chain: pinocchio merges what it joins.
MODEL = SelfModel.of(
    "welded", ARM.links, tuple(replace(j, type="fixed") if i == 1 else j
                               for i, j in enumerate(ARM.joints))
)  # fmt: skip


_FOLLOW = {2: Mimic("joint_2", -0.5, 0.1), 3: Mimic("joint_1", 3.0, 0.0)}
FOLLOWERS = SelfModel.of(
    "followers",
    ARM.links,
    tuple(replace(j, mimic=_FOLLOW.get(i)) for i, j in enumerate(ARM.joints)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("result")
    write_urdf(MODEL, folder)
    joints = [
        {"name": joint.name, "reference": joint.reference, "motor": None} for joint in MODEL.joints
    ]
    joints[2]["motor"] = {"name": "belt", "ratio": -20.0, "offset": 0.5, "residual": 0.0}
    document = {"format": FORMAT, "version": VERSION, "verdict": "trusted", "joints": joints}
    (folder / DOCUMENT).write_text(json.dumps(document))
    return folder


@pytest.fixture(scope="module")
def followers(tmp_path_factory):
    """A slide that mimics a joint of a motor, and a continuous joint that mimics one without."""
    folder = tmp_path_factory.mktemp("followers")
    write_urdf(FOLLOWERS, folder)
    joints = [{"name": joint.name, "reference": 0.0, "motor": None} for joint in FOLLOWERS.joints]
    for index in (1, 2):
        joints[index]["motor"] = {"name": "hoist", "ratio": 2.0, "offset": 0.0, "residual": 0.0}
    document = {"format": FORMAT, "version": VERSION, "verdict": "trusted", "joints": joints}
    (folder / DOCUMENT).write_text(json.dumps(document))
    return folder


@pytest.mark.slow
@given(st.lists(st.floats(-3, 3), min_size=4, max_size=4))
def test_transforms_chain_to_the_poses_of_the_model(folder, values):
    live = LiveModel(folder)
    named = dict(zip([joint.name for joint in MODEL.joints], values, strict=True))
    moving = {drive.joint: named[drive.joint] for drive in live.drives}
    transforms = live.fixed_transforms() + live.moving_transforms(moving)
    parents = {item.child: (item.parent, item.matrix) for item in transforms}
    assert len(parents) == len(transforms) == 5
    for link, expected in zip(MODEL.links, link_poses(MODEL.tree, values), strict=True):
        pose, name = np.eye(4), link.name
        while name != live.root:
            name, matrix = parents[name]
            pose = matrix @ pose
        np.testing.assert_allclose(pose, expected, atol=1e-7)


def test_readings_become_joint_values(folder):
    live = LiveModel(folder)
    assert [drive.motor for drive in live.drives] == ["joint_1", "belt", "joint_4"]
    values = live.joint_values({"belt": -0.5, "joint_1": 0.2, "foreign": 9.0})
    assert values == {"joint_1": 0.2, "joint_3": 0.05, "joint_4": 0.0}


@pytest.mark.slow
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_joint_that_mimics_follows_without_a_reading_of_its_own(followers, pan, lift):
    live = LiveModel(followers)
    assert [drive.joint for drive in live.drives] == ["joint_1", "joint_2"]
    values = live.joint_values({"joint_1": pan, "hoist": 2 * lift})
    assert values == pytest.approx({"joint_1": pan, "joint_2": lift})
    moved = {item.child: item.matrix for item in live.moving_transforms(values)}
    assert set(moved) == {"link_1", "link_2", "link_3", "link_4"}
    expected = link_poses(FOLLOWERS.tree, [pan, lift, -0.5 * lift + 0.1, 3 * pan])
    for parent, child in (("link_2", "link_3"), ("link_3", "link_4")):
        pose = np.linalg.inv(expected[int(parent[-1])]) @ expected[int(child[-1])]
        np.testing.assert_allclose(moved[child], pose, atol=1e-7)


def test_mesh_paths_become_uris(folder):
    live = LiveModel(folder)
    for prefix in (folder.as_uri(), "package://arm"):
        text = live.description("" if prefix.startswith("file") else prefix)
        paths = [mesh.get("filename") for mesh in ET.fromstring(text).iter("mesh")]
        assert len(paths) == 10
        assert all(path.startswith(f"{prefix}/meshes/") for path in paths)


@pytest.mark.parametrize(
    ("file", "change", "text"),
    [
        (DOCUMENT, lambda content: content.replace('"version": 2', '"version": 3'), "version 3"),
        (DOCUMENT, lambda content: content.replace('"verdict"', '"v"'), "damaged.*verdict"),
        (DOCUMENT, lambda content: content[:-5], "is no result folder"),
        (DOCUMENT, lambda content: "[]", "is no result folder"),
        (URDF, lambda content: content[:400], "damaged"),
        (URDF, lambda content: "", "damaged"),
        (URDF, None, "damaged"),
    ],
)
def test_damage_is_one_error(folder, tmp_path, file, change, text):
    for name in (DOCUMENT, URDF):
        content = (folder / name).read_text()
        (tmp_path / name).write_text(change(content) if name == file and change else content)
    if change is None:
        (tmp_path / file).unlink()
    with pytest.raises(InputError, match=text) as caught:
        LiveModel(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_an_srdf_is_read_where_there_is_one(folder, tmp_path):
    for name in (DOCUMENT, URDF):
        (tmp_path / name).write_text((folder / name).read_text())
    assert LiveModel(tmp_path).semantic is None
    (tmp_path / SRDF).write_text('<robot name="welded"/>')
    assert LiveModel(tmp_path).semantic == '<robot name="welded"/>'
    (tmp_path / SRDF).write_text('<robot name="welded">')
    with pytest.raises(InputError, match="damaged"):
        LiveModel(tmp_path)
