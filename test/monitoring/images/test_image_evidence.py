"""Colour images show which zero is off and which link is bent."""

from dataclasses import replace

import numpy as np
import pytest
from splat_arm import LINKS, drawn_images, splat_arm

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.splats.splat_model import moved
from autourdf_ros.geometry.rigid_motion import exp_se3
from autourdf_ros.monitoring.images.image_evidence import image_evidence

READINGS = np.array([[0.2, -0.3, 0.02], [-0.6, 0.5, 0.05]])
BASELINES = np.full(len(LINKS), 0.03)


@pytest.fixture(scope="module")
def arm():
    return splat_arm(80)


def seen(robot, readings=READINGS, noise=0.0, factor=1.0):
    """One image of each configuration, and a second one from elsewhere."""
    rng, images = np.random.default_rng(0), []
    for own in readings:
        for image in drawn_images(robot, own, size=32):
            error = rng.normal(0, noise, image.color.shape) * (image.mask > 0.5)[..., None]
            color = factor * image.color + error
            images.append(replace(image, color=np.asarray(color, np.float32)))
    return images, np.repeat(READINGS, 2, axis=0)


@pytest.mark.parametrize("factor", [1.0, 0.8])
def test_a_robot_as_it_was_raises_no_alarm(arm, factor):
    images, readings = seen(arm, noise=0.02, factor=factor)
    found = image_evidence(arm, images, readings, BASELINES)
    assert found.cause is None and not found.looks_wrong.any()
    assert np.nanmax(found.ratios) < 1
    assert found.text(arm.tree) == "images show the robot as its splats predict it"


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "off"), [(0, 0.08), (1, -0.1)])
def test_a_wrong_zero_is_found_with_its_angle(arm, joint, off):
    images, readings = seen(arm, READINGS + off * np.eye(3)[joint], 0.02)
    found = image_evidence(arm, images, readings, BASELINES)
    cause = found.cause
    assert cause.joint == joint and len(cause.values) == 1
    assert cause.values[0] == pytest.approx(off, abs=0.01)
    assert cause.explained > 0.5
    text = found.text(arm.tree)
    assert f"zero of {arm.tree.joint_names[joint]} is off by" in text


@pytest.mark.slow
def test_a_bent_link_is_no_wrong_zero(arm):
    bend = np.array([0.2, 0.0, 0.15, 0, 0, 0])  # about the elbow, and not about its axis
    elbow = arm.frames[2]
    at_rest = elbow @ exp_se3(bend) @ np.linalg.inv(elbow)
    bends = np.tile(np.eye(4), (len(LINKS), 1, 1))
    bends[2:] = np.linalg.inv(arm.frames[2:]) @ at_rest @ arm.frames[2:]
    bent = replace(arm, splats=moved(arm.splats, arm.links, bends))
    images, readings = seen(bent, noise=0.02)
    found = image_evidence(arm, images, readings, BASELINES)
    assert len(found.cause.values) == 6 and found.cause.explained > 0.8
    assert found.cause.values[0] > 0.1  # no turn about the joint
    assert arm.tree.joints[found.cause.joint].child == "fore"
    assert "fore is displaced by" in found.text(arm.tree)


@pytest.mark.slow
def test_what_nothing_explains_is_said(arm):
    images, readings = seen(arm)
    rng = np.random.default_rng(1)
    painted = [
        replace(image, color=np.asarray(rng.uniform(size=image.color.shape), np.float32))
        for image in images
    ]
    found = image_evidence(arm, painted, readings, BASELINES)
    assert found.cause is None
    assert "no wrong zero and no bent link explains it" in found.text(arm.tree)


def test_without_images_nothing_is_said(arm):
    with pytest.raises(InputError, match="0 images"):
        image_evidence(arm, [], np.empty((0, 3)), BASELINES)
