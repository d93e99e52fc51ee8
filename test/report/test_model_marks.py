"""What is drawn of a model, in the frames of its links."""

import json

import numpy as np
import pytest
import urchin
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.errors import InputError
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.joint_grading import judge_joints
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.result_files import DOCUMENT, URDF
from autourdf_ros.model.urdf.live_model import LiveModel
from autourdf_ros.report.model_marks import axis_marks, model_size, shape_marks
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made():
    return arm_reconstruction(count=60)


@pytest.fixture(scope="module")
def folder(made, tmp_path_factory):
    out = tmp_path_factory.mktemp("marks") / "arm"
    return write_reconstruction(made, out, name="arm", recording=arm_recording(made))


def test_axes_are_those_of_the_urdf_and_the_estimate(made, folder):
    marks = axis_marks(LiveModel(folder))
    judged = judge_joints(LiveModel(folder).document)
    robot = urchin.URDF.load(str(folder / URDF), lazy_load_meshes=True)
    frames = link_frames(made.model.tree)[1:]
    assert len(marks) == len(made.model.joints)
    for mark, joint, frame in zip(marks, made.model.joints, frames, strict=True):
        np.testing.assert_allclose(mark.axis, robot.joint_map[mark.joint].axis, atol=1e-9)
        assert mark.frame == robot.joint_map[mark.joint].child
        # Turned back, the directions are those in which the covariance was given.
        np.testing.assert_allclose(mark.across @ frame[:3, :3].T, joint.estimate.across, atol=1e-9)
        np.testing.assert_allclose(mark.across @ mark.axis, 0, atol=1e-9)
        np.testing.assert_array_equal(mark.covariance, joint.estimate.covariance)
        assert mark.grade == judged[mark.joint].grade


def test_parts_have_the_colours_of_the_figures(made, folder):
    model = LiveModel(folder)
    shapes = {shape.frame: shape for shape in shape_marks(model)}
    assert list(shapes) == [f"link_{i}" for i in range(5)]
    for index, shape in enumerate(shapes.values()):
        assert shape.kind == "mesh"
        np.testing.assert_array_equal(shape.color, link_color(index))
        assert (folder / shape.mesh).is_file()
    assert 0.4 < model_size(model) < 0.6


def test_shapes_of_every_kind(folder, tmp_path):
    shapes = {
        "link_0": ('<box size="1 2 3"/>', "box", [1, 2, 3]),
        "link_1": ('<cylinder radius="0.5" length="2"/>', "cylinder", [1, 1, 2]),
        "link_2": ('<sphere radius="0.5"/>', "sphere", [1, 1, 1]),
        "link_3": ('<mesh filename="a.obj" scale="1 1 2"/>', "mesh", [1, 1, 2]),
    }
    text = "".join(
        f'<link name="{link}"><visual><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'
        f"<geometry>{shape}</geometry></visual></link>"
        for link, (shape, *_) in shapes.items()
    )
    fixed = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="base_link"/>'
        f'<child link="link_{i}"/></joint>'
        for i in range(4)
    )
    (tmp_path / URDF).write_text(f'<robot name="r"><link name="base_link"/>{text}{fixed}</robot>')
    document = json.loads((folder / DOCUMENT).read_text()) | {"joints": []}
    (tmp_path / DOCUMENT).write_text(json.dumps(document))
    marks = shape_marks(LiveModel(tmp_path))
    for mark, (_, kind, size) in zip(marks, shapes.values(), strict=True):
        assert mark.kind == kind and (mark.mesh == "a.obj") == (kind == "mesh")
        np.testing.assert_array_equal(mark.size, size)
        np.testing.assert_allclose(mark.pose[:3, 3], [1, 0, 0])
        np.testing.assert_allclose(mark.pose[:3, 0], [0, 1, 0], atol=1e-12)


def test_joints_without_an_estimate_have_an_axis_all_the_same(folder, tmp_path):
    document = json.loads((folder / DOCUMENT).read_text())
    for joint in document["joints"]:
        del joint["across"], joint["covariance"], joint["confidence"]
    for name, text in ((DOCUMENT, json.dumps(document)), (URDF, (folder / URDF).read_text())):
        (tmp_path / name).write_text(text)
    marks = axis_marks(LiveModel(tmp_path))
    assert all(np.isclose(np.linalg.norm(mark.axis), 1) for mark in marks)
    assert all(np.isnan(mark.covariance).all() and mark.grade is None for mark in marks)
    del document["joints"][2]["axis"]
    (tmp_path / DOCUMENT).write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"reconstruction.json: is damaged.*axis"):
        axis_marks(LiveModel(tmp_path))
