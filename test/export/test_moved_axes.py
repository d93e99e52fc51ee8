"""A URDF whose joints have their axes elsewhere."""

from itertools import pairwise

import numpy as np
import pytest
from lxml import etree
from numpy.testing import assert_allclose

from autourdf_ros.export.joint_replacement import frames_at_zero
from autourdf_ros.export.moved_axes import move_axes
from autourdf_ros.files.urdf_origin import origin_of
from autourdf_ros.model.forward_kinematics import link_frames, link_poses
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint

LINKS = ("base", "arm", "hand")


def tree_of(turn=0.0, shift=0.0):
    """Two joints, the second at 0.5 rad at the reference; their axes may be elsewhere."""
    first = np.array([np.sin(turn), 0, np.cos(turn)])
    second = np.array([0, np.cos(turn), np.sin(turn)])
    return KinematicTree(
        LINKS,
        (
            TreeJoint("a", "revolute", *LINKS[:2], first, np.array([0, shift, 0.1]), -2, 2, 0.3),
            TreeJoint("b", "revolute", *LINKS[1:], second, np.array([0.4, 0, 0.1]), -2, 2, 0.5),
        ),
    )


@pytest.fixture
def urdf(tmp_path):
    """The description of the first tree, with a tool on a fixed joint that the tree lacks."""
    tree = tree_of()
    poses = link_poses(tree, np.zeros(2))
    turns = dict(zip(LINKS, link_frames(tree)[:, :3, :3], strict=True))
    text = '<robot name="arm">' + "".join(
        f'<link name="{name}"><visual><origin xyz="0.1 0 0.02" rpy="0.3 0 0"/><geometry>'
        '<box size="1 1 1"/></geometry></visual></link>'
        for name in (*LINKS, "tool")
    )
    for joint, (parent, child) in zip(tree.joints, pairwise(poses), strict=True):
        xyz = " ".join(str(v) for v in child[:3, 3] - parent[:3, 3])
        axis = " ".join(str(v) for v in turns[joint.child].T @ joint.axis)
        text += (
            f'<joint name="{joint.name}" type="revolute"><parent link="{joint.parent}"/>'
            f'<child link="{joint.child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/></joint>'
        )
    text += (
        '<joint name="held" type="fixed"><parent link="hand"/><child link="tool"/>'
        '<origin xyz="0 0 0.2"/></joint></robot>'
    )
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return path


def placed(path, tree, values):
    """Poses of the links' visuals and of the tool in a configuration, by the URDF."""
    root = etree.parse(path).getroot()
    zero = dict(zip(tree.links, tree.motions(np.zeros(2)), strict=True))
    motions = dict(zip(tree.links, tree.motions(values), strict=True))
    frames = frames_at_zero(path)
    found = {}
    for name in LINKS:
        moved = motions[name] @ np.linalg.inv(zero[name])
        visual = origin_of(root.find(f"link[@name='{name}']/visual"))
        found[name] = moved @ frames[name] @ visual
        if name == "hand":
            found["tool"] = moved @ frames["tool"]
    return found


def test_at_the_reference_all_shapes_stay_and_elsewhere_they_move_about_the_new_axes(urdf):
    before, after = tree_of(), tree_of(0.05, 0.01)
    reference, other = before.reference_values, np.array([-0.7, 1.1])
    stood = placed(urdf, before, reference)
    move_axes(urdf, before, after)
    now, moved = placed(urdf, after, reference), placed(urdf, after, other)
    motions = dict(zip(LINKS, after.motions(other), strict=True)) | {
        "tool": after.motions(other)[2]
    }
    for name, pose in stood.items():
        assert_allclose(now[name], pose, atol=1e-9)
        assert_allclose(moved[name], motions[name] @ pose, atol=1e-9)


def test_the_frames_are_those_of_the_tree(urdf):
    after = tree_of(0.05, 0.01)
    move_axes(urdf, tree_of(), after)
    frames, poses = frames_at_zero(urdf), link_poses(after, np.zeros(2))
    for name, pose in zip(LINKS, poses, strict=True):
        assert_allclose(frames[name], pose, atol=1e-9)
    root = etree.parse(urdf).getroot()
    for joint, pose in zip(after.repose(np.zeros(2)).joints, poses[1:], strict=True):
        axis = np.array(root.find(f"joint[@name='{joint.name}']/axis").get("xyz").split(), float)
        assert_allclose(pose[:3, :3] @ axis, joint.axis, atol=1e-9)


def test_a_tree_that_stays_changes_nothing(urdf):
    tree = tree_of()
    before = placed(urdf, tree, tree.reference_values)
    move_axes(urdf, tree, tree_of())
    for name, pose in placed(urdf, tree, tree.reference_values).items():
        assert_allclose(pose, before[name], atol=1e-9)
