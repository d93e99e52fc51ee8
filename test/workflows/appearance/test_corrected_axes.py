"""A result folder whose axes are corrected by images."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.axis_correction import AxisCorrection
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.export.joint_replacement import frames_at_zero
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, KinematicsLayer
from autourdf_ros.workflows.appearance import splat_result as splat_result_module
from autourdf_ros.workflows.appearance.corrected_axes import axis_priors
from autourdf_ros.workflows.appearance.splat_result import splat_result

QUICK = AppearanceOptions(
    splats=600,
    held_out=4,
    good=2.0,
    fit=SplatFitOptions(10, 10),
    axes=AxisCheckOptions(correct=True),
)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "arm"
    write_small_arm(folder)
    return folder


def settled(found, gain, turn):
    """What was found, as if the first axis were turned and held-out images had this gain."""
    count = len(found.correction.moved)
    turns = np.zeros((count, 2))
    turns[0, 0] = turn
    correction = AxisCorrection(
        AxisCorrections(turns, np.zeros((count, 2))),
        np.tile(np.diag([1e-6, 1e-6, 1e-8, 1e-8]), (count, 1, 1)),
        found.correction.moved,
        np.full(4, gain) + 1e-9 * np.arange(4),
    )
    return replace(found, correction=correction)


@pytest.mark.slow
@pytest.mark.parametrize(("gain", "turn"), [(1e-3, 0.05), (-1e-3, 0.05)])
def test_axes_are_written_where_held_out_images_gain(arm, tmp_path, monkeypatch, gain, turn):
    out = tmp_path / "arm"
    shutil.copytree(arm, out)
    estimated = splat_result_module.estimate_splats
    monkeypatch.setattr(
        splat_result_module,
        "estimate_splats",
        lambda *given: settled(estimated(*given), gain, turn),
    )
    before = read_self_model(out)
    splat_result(out, robot_images(arm, 12, size=48), QUICK)
    after = read_self_model(out)
    angle = np.arccos(np.clip(before.tree.joints[0].axis @ after.tree.joints[0].axis, -1, 1))
    document = json.loads((out / "reconstruction.json").read_text())
    stated = document["images"]["correction"]
    assert stated["accepted"] == (gain > 0)
    assert ("axes are corrected by images" in " ".join(document["notes"])) == (gain > 0)
    assert angle == pytest.approx(turn if gain > 0 else 0, abs=1e-7)
    # URDF, document and splats agree, and nothing is stale.
    frames = frames_at_zero(out / "robot.urdf")
    for name, pose in zip(
        after.tree.links, link_poses(after.tree, np.zeros(len(after.tree.joints))), strict=True
    ):
        assert_allclose(frames[name], pose, atol=1e-6)
    assert "appearance" not in after.stale
    if gain > 0:
        assert after.kinematics.provenance.method == "appearance/axes"
        assert after.kinematics.joints[after.tree.joint_names[0]].axis_std == pytest.approx(1e-3)


def test_the_models_own_covariance_is_turned_into_the_images_components(arm_model):
    model, joints = arm_model
    (prior,) = axis_priors(model, joints)
    # The model's two components are the images' ones turned by a quarter.
    assert_allclose(np.diag(prior), [4, 1, 8, 2], atol=1e-12)


@pytest.fixture
def arm_model():
    from splat_arm import arm_tree

    from autourdf_ros.model.self_model import SelfModel

    whole = arm_tree()
    tree = replace(whole, links=whole.links[:2], joints=whole.joints[:1])
    joints = ImageJoints(tree, np.array([[0.0], [1.0]]))
    first, second = joints.across[0]
    estimate = JointEstimate(
        np.diag([1.0, 4.0, 2.0, 8.0]), np.array([second, -first]), Confidence(1, 1, 1)
    )
    layer = KinematicsLayer(joints={tree.joint_names[0]: estimate})
    return SelfModel("arm", tree, layer), joints
