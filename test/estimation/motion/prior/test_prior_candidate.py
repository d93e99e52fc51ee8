"""A search that begins from a robot that is known."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import moving_recording, two_joint_model

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.pipeline import reconstruct
from autourdf_ros.estimation.motion.prior.prior_robot import Gear, PriorRobot
from autourdf_ros.geometry.rigid_motion import revolute_twist

START = (0.5, 0.4)  # rad, where the recording begins and the prior does not stand


def known_robot(parents=(0, 1), scale=1.0):
    """The small arm with its joints at zero; its joints named otherwise than the motors."""
    model = two_joint_model()
    axes = np.array([joint.axis for joint in model.joints])
    places = scale * np.array([joint.point for joint in model.joints])
    surfaces = [link.surface for link in model.links]
    return PriorRobot(
        "known.urdf",
        tuple(link.name for link in model.links),
        ("turn", "nod"),
        Articulation(np.array(parents), revolute_twist(axes, places), np.ones(2, bool), places),
        np.zeros(2),
        (Gear("pan"), Gear("lift")),
        scale * np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.normals for surface in surfaces]),
        np.repeat(np.arange(3), [len(surface.points) for surface in surfaces]),
    )


def joints_of(result):
    return [(joint.name, joint.parent, joint.child) for joint in result.model.joints]


def without_readings(recording):
    sequences = tuple(
        replace(one, frames=tuple(replace(f, joint_positions=None) for f in one.frames))
        for one in recording.sequences
    )
    return replace(recording, sequences=sequences)


@pytest.mark.slow
@pytest.mark.parametrize("read", [True, False])
def test_a_right_prior_that_stands_elsewhere_is_found_and_kept(read):
    recording = moving_recording(frames=6, sway=0.1, start=START)
    recording = recording if read else without_readings(recording)
    stages = []
    result = reconstruct(recording, None, lambda stage, share: stages.append(stage), known_robot())
    assert result.verdict == "trusted", result.warnings
    assert "registration" not in stages  # nothing else was searched
    assert result.notes[-1] == "begun from known.urdf"
    pan, lift = result.model.joints
    assert (pan.parent, pan.child, lift.parent) == ("link_0", "link_1", "link_1")
    assert abs(pan.axis[2]) > np.cos(np.radians(1.0))
    turned = [-np.sin(START[0]), np.cos(START[0]), 0.0]
    assert abs(lift.axis @ turned) > np.cos(np.radians(1.0))


@pytest.mark.slow
def test_a_prior_whose_joints_hang_elsewhere_is_corrected_by_the_frames():
    recording = moving_recording(frames=6, sway=0.1)
    plain = reconstruct(recording)
    result = reconstruct(recording, None, lambda stage, share: None, known_robot((0, 0)))
    assert joints_of(result) == joints_of(plain)
    for joint, other in zip(result.model.joints, plain.model.joints, strict=True):
        assert abs(joint.axis @ other.axis) > np.cos(np.radians(0.5))


@pytest.mark.slow
def test_a_prior_of_another_robot_is_given_up_and_said_to_be():
    recording = moving_recording(frames=6, sway=0.1)
    result = reconstruct(recording, None, lambda stage, share: None, known_robot(scale=1.6))
    assert joints_of(result) == joints_of(reconstruct(recording))
    assert result.notes[-1].startswith("not begun from the prior: known.urdf: explains ")


def test_the_joints_move_by_what_the_readings_say_since_the_prior_stood():
    robot = replace(
        known_robot(), values=np.array([0.1, 0.0]), gears=(Gear("pan", -2.0, 0.4), Gear("other"))
    )
    moved = robot.moved_by({"pan": 1.0, "lift": 3.0})
    assert moved[0] == pytest.approx((1.0 - 0.4) / -2.0 - 0.1)
    assert np.isnan(moved[1])
    assert np.isnan(robot.moved_by(None)).all()
