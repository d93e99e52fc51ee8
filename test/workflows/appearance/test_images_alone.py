"""From images and motor positions alone to a result folder."""

from dataclasses import replace

import numpy as np
import pytest
from sphere_images import cameras_at

from autourdf_ros.assessment.metrics.truth.truth import load_truth
from autourdf_ros.benchmark.appearance.measure_images_alone import joint_errors
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.result_files import result_document
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.report.reproduction import command_line
from autourdf_ros.simulation.images.image_motions import ImageMotion
from autourdf_ros.simulation.images.image_recording import ImageOptions, record_images
from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot
from autourdf_ros.workflows.appearance.images_alone import images_to_folder

ARM = """<robot name="arm">
<link name="base"><visual><origin xyz="0 0 0.1"/><geometry><box size="0.3 0.2 0.2"/></geometry>
  <material name="a"><color rgba="0.8 0.2 0.2 1"/></material></visual></link>
<link name="upper"><visual><origin xyz="0 0 0.2"/><geometry><box size="0.12 0.08 0.4"/></geometry>
  <material name="b"><color rgba="0.2 0.8 0.2 1"/></material></visual></link>
<link name="lower"><visual><origin xyz="0.15 0 0"/><geometry><box size="0.36 0.1 0.08"/></geometry>
  <material name="c"><color rgba="0.2 0.3 0.9 1"/></material></visual></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="upper"/>
  <origin xyz="0.05 0 0.2"/><axis xyz="0 1 0"/>
  <limit lower="-1.2" upper="1.2" effort="1" velocity="1"/></joint>
<joint name="wrist" type="revolute"><parent link="upper"/><child link="lower"/>
  <origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
  <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>
</robot>
"""


def quick():
    """Few splats and steps."""
    options = SelfModelOptions()
    final = options.final
    return replace(
        options,
        first=replace(options.first, coarse_steps=60),
        first_splats=1200,
        final=replace(final, splats=1200, fit=replace(final.fit, coarse_steps=60, fine_steps=100)),
    )


def test_an_image_without_a_mask_is_named(tmp_path):
    images = RobotImages(
        tuple(
            RobotImage(view, np.zeros((48, 48, 3), np.uint8), {"motor": 0.0})
            for view in cameras_at(3)
        )
    )

    with pytest.raises(InputError, match="frame 0 has no mask; without a model, accepted are"):
        images_to_folder(images, tmp_path / "out", "robot")

    assert not (tmp_path / "out").exists()


@pytest.mark.slow  # several descents, and a result folder that processes check
def test_an_arm_that_nobody_described_is_found(tmp_path):
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(ARM)
    motion = ImageMotion(random=30, rest=12, single=6)
    images = record_images(SimulatedRobot(urdf), ImageOptions(motion, size=64))
    images = replace(images, source=tmp_path / "arm")

    images = replace(images, notes=("up is a guess",))
    found = images_to_folder(images, tmp_path / "out", "arm", quick())

    true = load_truth(urdf, found.motors.rest).skeleton
    errors = joint_errors(found.robot.state.tree, true)
    assert errors["missing"] == [] and errors["wrong"] == []
    assert max(errors["angles"].values()) < 1.5
    assert max(errors["distances"].values()) < 0.01
    assert np.isfinite(found.appearance.errors.overlap).all()
    model, document = read_self_model(tmp_path / "out"), result_document(tmp_path / "out")
    assert set(model.tree.joint_names) == {"turn", "wrist"}
    assert document["verdict"] == model.appearance.verdict.trust
    assert [one["change"] for one in document["images_alone"]["decisions"]] == ["wrist on turn"]
    assert document["notes"][0] == "up is a guess"
    assert command_line(document).startswith("autourdf splat")
    view = images.images[-1]
    drawn = DrawnRobot(tmp_path / "out").draw(view.joint_positions, view.camera)
    both = (drawn.mask > 0.5) & (view.mask > 127)
    assert both.sum() > 0.8 * ((drawn.mask > 0.5) | (view.mask > 127)).sum()
    assert len(np.unique(drawn.link[drawn.link >= 0])) == 3
