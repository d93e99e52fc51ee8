"""The whole method, by torch, on two boxes with a hinge between them."""

from dataclasses import replace

import numpy as np
import pytest
from sampled_shapes import angle_between, box, sample

pytest.importorskip("torch", exc_type=ImportError)

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.errors import InputError, ReconstructionError
from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.geometry.lines import line_distance
from autourdf_ros.geometry.rigid_motion import exp_se3, revolute_twist, transform

pytestmark = pytest.mark.timeout(300)  # hundreds of iterations, on a machine that may be busy

AXIS, PLACE = np.array([0.0, 0.0, 1.0]), np.array([0.3, 0.0, 0.0])
QUICK = NeuralOptions(clusters=12, iterations=80, patience=80)
OPTIONS = ReconstructionOptions(links=2, method="autourdf", neural=QUICK)


def hinged(*angles):
    """A recording of 900 points a frame, with the hinge at these angles (rad)."""
    frames = []
    for number, angle in enumerate(angles):
        base = sample(box((0.3, 0.3, 0.2), (0.0, 0.0, 0.0)), 500, number)
        arm = sample(box((0.5, 0.1, 0.1), (0.55, 0.0, 0.0)), 400, 50 + number)
        moved = transform(exp_se3(revolute_twist(AXIS, PLACE) * angle), arm)
        frames.append(Frame(np.vstack([base, moved]).astype(np.float32), stamp=float(number)))
    return frames


def recorded(*sequences):
    return Recording(
        tuple(Sequence(tuple(hinged(*angles)), f"{i:04}") for i, angles in enumerate(sequences))
    )


@pytest.fixture(scope="module")
def result():
    return reconstruct(recorded((0.0, 0.15, 0.3), (0.0, -0.15)), OPTIONS)


def test_a_hinge_is_found(result):
    (joint,) = result.model.joints
    assert angle_between(joint.axis, AXIS) < np.radians(6)
    assert line_distance(PLACE, AXIS, joint.point, joint.axis) < 0.03
    assert result.reference_points[result.labels == 1, 0].min() > 0.2
    angles = np.concatenate([motion.joint_values[:, 0] for motion in result.motions])
    sign = np.sign(joint.axis @ AXIS)
    np.testing.assert_allclose(sign * angles, [0.0, 0.15, 0.3, 0.0, -0.15], atol=0.04)


def test_it_does_not_claim_to_be_trusted(result):
    assert result.verdict == "doubtful"
    assert "gives no standard deviations" in result.warnings[0]
    assert 0.001 < result.tracking_error < 0.03


def test_the_seed_decides(result):
    again = reconstruct(recorded((0.0, 0.15, 0.3), (0.0, -0.15)), OPTIONS)
    np.testing.assert_array_equal(again.model.joints[0].axis, result.model.joints[0].axis)
    other = replace(OPTIONS, neural=replace(QUICK, seed=1))
    changed = reconstruct(recorded((0.0, 0.15, 0.3), (0.0, -0.15)), other)
    assert (changed.model.joints[0].axis != result.model.joints[0].axis).any()


@pytest.mark.parametrize(
    "changes", [{"step": False}, {"anchor": False}, {"representation": "6d"}, {"normals": 0.5}]
)
def test_its_parts_can_be_left_out_or_changed(changes):
    options = replace(OPTIONS, neural=replace(QUICK, **changes))
    (joint,) = reconstruct(recorded((0.0, 0.15, 0.3)), options).model.joints
    assert angle_between(joint.axis, AXIS) < np.radians(12)


def test_our_engine_can_go_on_from_its_registration():
    options = ReconstructionOptions(registration="neural", neural=QUICK)
    (joint,) = reconstruct(recorded((0.0, 0.1, 0.2, 0.3)), options).model.joints
    assert angle_between(joint.axis, AXIS) < np.radians(2)


def test_what_does_not_move_is_one_body():
    still = replace(OPTIONS, links=None, neural=replace(QUICK, iterations=2))
    with pytest.raises((InputError, ReconstructionError), match=r"1 frame"):
        reconstruct(recorded((0.0,)), still)


def test_a_device_that_is_not_there_is_named():
    options = replace(OPTIONS, neural=replace(QUICK, device="cuda:77"))
    with pytest.raises(InputError, match="device 'cuda:77' cannot be used"):
        reconstruct(recorded((0.0, 0.1)), options)
